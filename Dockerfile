# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /app
COPY . .
# No package that the server uses needs its install script.
RUN --mount=type=cache,target=/var/cache/npm npm ci --cache /var/cache/npm --ignore-scripts --no-audit --no-fund
RUN npm run build \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf apps/bench node_modules/@sallyport/bench \
 && find apps packages -mindepth 2 -maxdepth 2 \( -name src -o -name 'tsconfig*.json' \) -exec rm -rf {} + \
 && find apps packages -path '*/dist/*' \( -name '*.d.ts' -o -name '*.d.ts.map' -o -name '.tsbuildinfo' \) -delete

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages packages
COPY --from=build /app/apps apps
RUN install --directory --owner=node --group=node --mode=0700 /data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const { TLS_CERTIFICATE_FILE: tls, PORT: port } = process.env; require(tls ? 'node:https' : 'node:http').get({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["node", "apps/server/dist/main.js", "serve"]
