import pytest

from vouch.adapters.models.encoder import FixedShapeEncoder, load_encoder


@pytest.fixture(scope="session")
def encoder() -> FixedShapeEncoder:
    return load_encoder()


@pytest.fixture(scope="session")
def float_encoder() -> FixedShapeEncoder:
    return load_encoder(dtype="float32", device="cpu")


@pytest.fixture(scope="session")
def bfloat_encoder() -> FixedShapeEncoder:
    return load_encoder(dtype="bfloat16", device="cpu")
