"""What every message is: one sentence."""


def is_a_sentence(error, *words):
    text = str(error)
    assert text and "\n" not in text, text
    assert "--" not in text and "panic" not in text and "state that should not be" not in text, text
    assert "np.float64" not in text, text
    for word in words:
        assert word in text, f"{word!r} is not in {text!r}"
