"""Questions that take several searches: parts, planner, tools, and what runs them."""
