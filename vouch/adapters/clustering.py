"""Clusters of vectors by density: HDBSCAN (Campello, Moulavi and Sander 2013) of scikit-learn."""

from vouch.ports.models import Vector

_NEIGHBOURS = 2                         # a vector and its nearest: small topics count
_ALL_PAIRS = 5_000                      # vectors whose distances are all kept in memory


def density_clusters(vectors: Vector, smallest: int) -> list[int]:
    """Per vector the number of its cluster, -1 for none. Equal vectors in equal order give equal numbers.

    No cluster has fewer than `smallest` vectors. All of them are never one cluster.
    Takes time with the square of their number: 3.5 s and 0.4 GB for 5,000 of 384 numbers, more time and less memory
    for each beyond.
    """
    if len(vectors) < max(smallest, _NEIGHBOURS):
        return [-1] * len(vectors)
    from sklearn.cluster import HDBSCAN

    how = "brute" if len(vectors) <= _ALL_PAIRS else "kd_tree"
    clustering = HDBSCAN(min_cluster_size=smallest, min_samples=_NEIGHBOURS, algorithm=how, copy=True).fit(vectors)
    return [int(number) for number in clustering.labels_]
