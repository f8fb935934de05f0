"""The flows of Prefect, as prefect.yaml names them."""
