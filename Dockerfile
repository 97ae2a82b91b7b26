# An image with roster, Node and git, for CI jobs. Put the tarball that `npm pack` makes next to this file, then:
#   docker build --build-arg TARBALL=rosterctl-0.2.0.tgz --build-arg INTEGRITY=sha512-… --tag roster .
# `npm pack --json` prints the hash as `integrity`. Pass the digest of the image to `roster init --install IMAGE@sha256:…`.
# Before a release, add the digest to the base (`npm run release:check` requires it): `docker buildx imagetools inspect` prints it.
FROM node:24.11.1-bookworm-slim

LABEL org.opencontainers.image.title="roster" \
  org.opencontainers.image.description="roster, Node and git, for CI jobs" \
  org.opencontainers.image.licenses="Apache-2.0"

# roster needs git for an inventory in git, and openssl checks the tarball.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client openssl \
  && rm -rf /var/lib/apt/lists/*

ARG TARBALL
ARG INTEGRITY
COPY ${TARBALL} /tmp/roster.tgz
RUN actual="sha512-$(openssl dgst -sha512 -binary /tmp/roster.tgz | openssl base64 -A)" \
  && if [ "$actual" != "$INTEGRITY" ]; then echo "Nothing was installed: the tarball has the integrity $actual, which is not INTEGRITY." >&2; exit 1; fi \
  && npm install --global --ignore-scripts --offline --no-audit --no-fund /tmp/roster.tgz \
  && rm /tmp/roster.tgz

USER node
WORKDIR /home/node
CMD ["roster", "--help"]
