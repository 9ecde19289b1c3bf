# planviz with a Java runtime, so that the pages which talk to a live Spark work as well.
FROM python:3.12-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 planviz

WORKDIR /app
COPY requirements.txt requirements.lock pyproject.toml README.md LICENSE ./
# Exactly the files that were looked at when the lock was made, checked by their hashes (make lock, make audit).
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY planviz planviz
# The glossary that pages explain terms from: planviz/render has a link to it.
COPY docs/glossary.md docs/
COPY pages pages
COPY sample_queries sample_queries
COPY .streamlit .streamlit
COPY app.py ./
RUN pip install --no-cache-dir --no-deps -e .

USER planviz
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["planviz", "serve", "--address", "0.0.0.0", "--port", "8501"]
