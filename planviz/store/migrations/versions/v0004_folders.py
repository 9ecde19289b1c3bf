"""People, folders that they share, and documents that open for whoever has the address."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables of people and folders, and the columns that put documents into them."""
    op.create_table(
        "person",
        sa.Column("key", sa.String(320), primary_key=True),
        sa.Column("email", sa.String(320), nullable=False, index=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "folder",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("owner", sa.String(320), nullable=False, index=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("everybody", sa.Boolean, nullable=False),
    )
    op.create_table(
        "member",
        sa.Column("folder", sa.Integer, sa.ForeignKey("folder.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("email", sa.String(320), primary_key=True, index=True),
    )
    # Alembic adds no column with a reference to a table of SQLite; both databases understand this.
    op.execute("ALTER TABLE document ADD COLUMN folder INTEGER REFERENCES folder (number)")
    op.create_index("ix_document_folder", "document", ["folder"])
    op.add_column("document", sa.Column("linked", sa.Boolean, nullable=False, server_default=sa.false()))
