"""Passwords, tokens and keys do not leave the settings they stand in."""

from __future__ import annotations

from planviz.spark.secrets import HIDDEN, Secrets, is_secret, redacted, without_secrets


def test_a_setting_is_secret_by_its_key_or_by_the_setting_s_own_pattern():
    conf = {"spark.redaction.regex": "(?i)hush", "spark.a.hush": "1", "spark.b": "2", "spark.c": "Hush now",
            "spark.ssl.keyPassword": "3", "spark.sql.catalog.x.credential": "4", "spark.my.api.key": "5"}  # fmt: skip
    assert redacted(conf) == {"spark.b": "2"}
    assert not is_secret("spark.sql.shuffle.partitions")
    assert not is_secret("spark.sql.legacy.keepCommandOutputSchema")


def test_an_address_loses_its_token_and_password():
    assert without_secrets("sc://h:15002/;token=abc;user_id=me") == f"sc://h:15002/;token={HIDDEN};user_id=me"
    assert without_secrets("sc://me:secret@h:15002") == f"sc://me:{HIDDEN}@h:15002"
    assert without_secrets("local[*]") == "local[*]"


def test_values_are_taken_out_of_texts_plain_or_json():
    secrets = Secrets({"spark.x.password": 'p"a\\ss', "spark.y.password": "abc"}, "sc://u:geheim@h/;token=tok-en;a=b")
    assert secrets.hide('p"a\\ss and "p\\"a\\\\ss" and geheim, tok-en, abc') == (
        f'{HIDDEN} and "{HIDDEN}" and {HIDDEN}, {HIDDEN}, abc'
    )
