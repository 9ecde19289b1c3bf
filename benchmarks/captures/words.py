"""What the columns hold that the sample queries filter by; all other texts are a column's name and a number."""

from __future__ import annotations

_NATIONS = ("ALGERIA", "ARGENTINA", "BRAZIL", "CANADA", "EGYPT", "ETHIOPIA", "FRANCE", "GERMANY", "INDIA", "INDONESIA",
            "IRAN", "IRAQ", "JAPAN", "JORDAN", "KENYA", "MOROCCO", "MOZAMBIQUE", "PERU", "CHINA", "ROMANIA",
            "SAUDI ARABIA", "VIETNAM", "RUSSIA", "UNITED KINGDOM", "UNITED STATES")  # fmt: skip

#: By the column's name, whatever its table.
WORDS = {
    # TPC-H
    "r_name": ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"),
    "n_name": _NATIONS,
    "c_mktsegment": ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"),
    "c_phone": ("13-701-555", "31-702-555", "23-703-555", "29-704-555", "11-705-555"),
    "p_type": ("ECONOMY ANODIZED STEEL", "PROMO PLATED BRASS", "MEDIUM POLISHED TIN", "SMALL BRUSHED COPPER"),
    "p_brand": ("Brand#12", "Brand#23", "Brand#34", "Brand#45", "Brand#51"),
    "p_container": ("SM CASE", "MED BOX", "LG PACK", "JUMBO JAR"),
    "p_name": ("forest green lace", "steel navy", "green tomato", "forest peach"),
    "l_returnflag": ("A", "N", "R"),
    "l_linestatus": ("F", "O"),
    "l_shipmode": ("AIR", "AIR REG", "MAIL", "RAIL", "SHIP", "TRUCK"),
    "l_shipinstruct": ("COLLECT COD", "DELIVER IN PERSON", "NONE"),
    "o_orderstatus": ("F", "O", "P"),
    "o_orderpriority": ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"),
    "s_comment": ("Customer slow Complaints", "ironic requests", "quiet deposits"),
    # the shop
    "country": ("AT", "BR", "CA", "DE", "FR", "IN", "JP", "NL", "PL", "US"),
    "category": ("books", "games", "garden", "kitchen", "music", "office", "sports", "toys"),
    "tier": ("basic", "plus", "gold"),
    "status": ("open", "paid", "sent", "returned"),
    "kind": ("view", "search", "basket", "buy", "help"),
    "order_month": tuple(f"{year}-{month:02}" for year in (2025, 2026) for month in range(1, 13)),
}
