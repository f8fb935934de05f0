"""Knowledge from the web: a search service finds pages, the guard fetches them, the parsing child reads them."""
