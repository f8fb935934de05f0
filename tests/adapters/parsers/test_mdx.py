"""MDX: what makes components is no text of the document; in Markdown nothing is a component."""

import pytest
from adapters.parsers.test_marks_of_extracted_text import whole
from adapters.parsers.test_parsers import read

TEXT = """import X from "x"
import "./style.css"

# Quotas

<Callout type="info">Each project gets **200 GB**.</Callout>

<Tabs.Item label="a">

Inside, a `<Callout>` of Map<String>.

</Tabs.Item>

<Note>
Mind <b>it</b>.
</Note>

export const a = {
  b: 1
}

import duties are paid by us.

```js
import Y from "y"
export const c = <Callout/>
```
"""


def test_components_imports_and_exports_are_not_shown() -> None:
    parsed = read("a.mdx", TEXT)
    assert " ".join(whole(parsed).split()) == (
        "# Quotas Each project gets 200 GB. Inside, a `<Callout>` of Map<String>. Mind it. "
        'import duties are paid by us. ```js import Y from "y" export const c = <Callout/> ```')
    assert len(parsed.text) == len(TEXT) and parsed.text.count("\n") == TEXT.count("\n")


@pytest.mark.parametrize("words", ['import X from "x"', "export const a = 1", "A <Callout> of words."])
def test_in_markdown_they_are_words(words: str) -> None:
    assert whole(read("a.md", words)) == words
