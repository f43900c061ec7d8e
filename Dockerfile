# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /app
COPY . .
# No package that the server uses needs its install script.
RUN --mount=type=cache,target=/var/cache/npm \
    npm ci --cache /var/cache/npm --ignore-scripts --no-audit --no-fund \
 && npm run build \
 # With the command line for the operator, and the packages that it needs.
 && npm pack --ignore-scripts ./apps/server/dist/package ./apps/cli ./packages/client/dist/package ./packages/storage --pack-destination /tmp \
 # The driver for MariaDB is chosen by who installs: the image takes the version that is tested.
 && npm install --global --prefix /installed --cache /var/cache/npm --ignore-scripts --omit=dev --no-audit --no-fund \
      /tmp/sallyport-*.tgz "mysql2@$(node -p 'require("mysql2/package.json").version')" \
 && find /installed -name '*.d.ts' -delete

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
COPY --from=build /installed /usr/local
RUN install --directory --owner=node --group=node --mode=0700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const { TLS_CERTIFICATE_FILE: tls, PORT: port } = process.env; require(tls ? 'node:https' : 'node:http').get({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["sallyport-server", "serve"]
