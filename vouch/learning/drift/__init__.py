"""How far the numbers of now are from those of before."""
