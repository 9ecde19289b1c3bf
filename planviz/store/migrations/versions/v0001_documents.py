"""Texts, documents, and what they are searched by."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first three tables."""
    op.create_table(
        "content",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("characters", sa.Integer, nullable=False),
    )
    op.create_table(
        "document",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("owner", sa.String(320), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), sa.ForeignKey("content.digest"), nullable=False, index=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("recognised", sa.String(200), nullable=False),
        sa.Column("catalog", sa.String(200), nullable=False),
        sa.Column("catalog_digest", sa.String(64), sa.ForeignKey("content.digest"), index=True),
        sa.Column("profile", sa.String(60), nullable=False),
        sa.Column("chain", sa.Integer),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("saved", sa.Boolean, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("opened", sa.BigInteger, nullable=False),
        sa.Column("trashed", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("owner", "fingerprint", name="document_once"),
        sa.UniqueConstraint("chain", "version", name="document_version"),
    )
    op.create_index("document_opened", "document", ["owner", "saved", "trashed", "opened"])
    op.create_index("document_name", "document", ["owner", "name"])
    op.create_table(
        "term",
        sa.Column("kind", sa.String(10), primary_key=True),
        sa.Column("term", sa.String(120), primary_key=True),
        sa.Column("document", sa.Integer, sa.ForeignKey("document.number", ondelete="CASCADE"), primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("term_document", "term", ["document"])
