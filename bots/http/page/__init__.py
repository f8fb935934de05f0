"""The pages of the service, rendered here; they work without script too, which only shows what happens meanwhile."""
