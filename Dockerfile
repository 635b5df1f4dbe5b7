# An image with the static program and its licences:
#
#     docker build --tag dpcert .
#     docker run --rm dpcert delta 'gaussian(sigma=1)' --epsilon 1
#
# The image has no shell and no Python, so `dpcert audit` cannot install packages in it.
FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends m4 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN scripts/static.sh && cp target/dist/bin/dpcert /dpcert

FROM scratch
COPY --from=build /dpcert /dpcert
COPY LICENSE-APACHE LICENSE-MIT python/NOTICE-LGPL.md src/picture/letters/OFL.txt /licenses/
# An unprivileged user.
USER 65534:65534
ENTRYPOINT ["/dpcert"]
CMD ["--help"]
