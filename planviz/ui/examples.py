"""Queries to begin with on the Cardinality page, on bundled tables with statistics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A query with the catalogue that it is planned with, and what it shows."""

    title: str
    about: str
    sql: str
    catalog: str


ESTIMATED = (
    Example(
        "A join order that pays",
        "Sales meet all customers first, or the few dates that a year has",
        "SELECT c_customer_id\nFROM customer, store_sales, date_dim\nWHERE c_customer_sk = ss_customer_sk\n"
        "  AND ss_sold_date_sk = d_date_sk\n  AND d_year = 2001",
        "tpcds",
    ),
    Example(
        "Which side is built",
        "A filter makes the larger table the smaller side",
        "SELECT o.order_id, u.name, i.name\nFROM orders o\nJOIN users u ON o.user_id = u.user_id\n"
        "JOIN items i ON o.item_id = i.item_id\nWHERE o.status = 'paid' AND i.price > 150 AND u.tier = 'gold'",
        "shop",
    ),
    Example(
        "Groups of several keys",
        "Every combination of the keys is thought to occur",
        "SELECT u.country, u.tier, s.city, count(*) AS orders\nFROM orders o\nJOIN users u ON o.user_id = u.user_id\n"
        "JOIN stores s ON o.store_id = s.store_id\nGROUP BY u.country, u.tier, s.city",
        "shop",
    ),
)
