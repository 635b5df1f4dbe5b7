# The program in an image of nothing else: `docker build --tag dpcert .`, then `docker run --rm dpcert delta 'gaussian(sigma=1)' --epsilon 1`.
# It has no shell and no Python: audits of packages are for the program on a machine of yours.
FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends m4 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN scripts/static.sh && cp target/dist/bin/dpcert /dpcert

FROM scratch
COPY --from=build /dpcert /dpcert
# Nobody.
USER 65534:65534
ENTRYPOINT ["/dpcert"]
CMD ["--help"]
