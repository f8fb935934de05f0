# syntax=docker/dockerfile:1
# Two images: slim computes on the processor, gpu brings the CUDA libraries of the locked packages.
#   docker build --target slim -t vouch:slim .
#   docker build --target gpu -t vouch:gpu .
FROM python:3.11.14-slim-bookworm AS base
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 UV_LINK_MODE=copy UV_SYSTEM_PYTHON=1 \
    HF_HUB_OFFLINE=1 DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false \
    VOUCH_HOME=/var/lib/vouch/home PREFECT_HOME=/tmp/prefect
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/vouch vouch \
    && install -d -m 700 -o vouch -g vouch /var/lib/vouch /var/lib/prefect
WORKDIR /opt/vouch
COPY requirements.lock requirements.uv.lock ./
RUN python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.uv.lock

FROM base AS gpu-packages
RUN uv pip install --no-cache --no-deps --compile-bytecode --require-hashes -r requirements.lock

# The lock holds the build of torch with CUDA. The one without is of the same version, but its hash is not locked.
FROM base AS slim-packages
RUN awk '/^[a-z]/ { keep = !/^(torch|triton|nvidia-|cuda-)/ } keep' requirements.lock > slim.lock \
    && uv pip install --no-cache --no-deps --compile-bytecode --require-hashes -r slim.lock \
    && uv pip install --no-cache --no-deps --compile-bytecode --torch-backend cpu \
       "torch==$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' requirements.lock)"

FROM gpu-packages AS gpu
COPY . .
RUN uv pip install --no-cache --no-deps --no-build-isolation -e . \
    && python -m compileall -q cli services flows consumers composition indexers bots vouch migrations
USER 10001:10001
ENTRYPOINT []
CMD ["vouch", "worker"]

FROM slim-packages AS slim
COPY . .
RUN uv pip install --no-cache --no-deps --no-build-isolation -e . \
    && python -m compileall -q cli services flows consumers composition indexers bots vouch migrations
USER 10001:10001
ENTRYPOINT []
CMD ["vouch", "worker"]
