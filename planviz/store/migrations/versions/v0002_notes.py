"""Notes on operators."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of notes."""
    op.create_table(
        "note",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column(
            "document", sa.Integer, sa.ForeignKey("document.number", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("plan", sa.String(20), nullable=False),
        sa.Column("node", sa.Integer, nullable=False),
        sa.Column("words", sa.String(4000), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
