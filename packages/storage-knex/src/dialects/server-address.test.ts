import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { keyPath, pemFile } from "@sallyport/test-kit/crypto/key-files";
import pg from "pg";
import { addressOf } from "./postgres/postgres-hosts.ts";
import { serverOf } from "./mariadb/create-mariadb-knex.ts";
import { checkAddress, parseAddress } from "./server-address.ts";

const nothing = { user: "", password: "", database: "", parameters: new Map() };

test.each([
  ["postgres://h/d", { hosts: [{ host: "h", port: 5432 }], database: "d" }],
  ["postgresql://u@[::1]:1/d%2Fe", { user: "u", hosts: [{ host: "::1", port: 1 }], database: "d/e" }],
  ["postgres://u:a:b%40%3F@h/", { user: "u", password: "a:b@?", hosts: [{ host: "h", port: 5432 }] }],
  ["postgres://u:a@b@h/", { user: "u", password: "a@b", hosts: [{ host: "h", port: 5432 }] }],
  [
    "postgres://a,b:2/d",
    {
      hosts: [
        { host: "a", port: 5432 },
        { host: "b", port: 2 },
      ],
      database: "d",
    },
  ],
  ["postgres://u@%2Frun%2Fpg/d", { user: "u", hosts: [{ host: "/run/pg", port: 5432 }], database: "d" }],
  ["postgres://u@/d?host=/run/pg&port=6", { user: "u", hosts: [{ host: "/run/pg", port: 6 }], database: "d" }],
  [
    "postgres:///d?host=%2Frun%2Fpg&user=u&password=p",
    { user: "u", password: "p", hosts: [{ host: "/run/pg", port: 5432 }], database: "d" },
  ],
  [
    "postgres://h/d?application_name=a%20b",
    { hosts: [{ host: "h", port: 5432 }], database: "d", parameters: new Map([["application_name", "a b"]]) },
  ],
])("%s is read", (url, expected) => {
  expect(parseAddress(url)).toEqual({ engine: "postgres", ...nothing, ...expected });
});

test.each(["postgres", "mariadb"])("no address of %s that cannot be read is told, beside what to do", (engine) => {
  const spoiled = [
    "S3cr?tPart",
    "S3cr/tPart",
    "S3cr#tPart",
    "S3cr%tPart",
    "S3cr tPart",
    "%E4S3crtPart",
    "@S3cr/tPart",
    ":S3cr/12@tPart",
    "12/tPart",
  ];
  for (const password of spoiled) {
    expect(() => parseAddress(`${engine}://u:${password}@db.example:1/d`)).toThrow(
      /^(?!.*(?:S3cr|tPart|db\.example)).*Percent-encode/,
    );
  }
  for (const url of ["S3cr", `${engine}://S3cr:tPart`, `${engine}://u:S3cr@h:tPart/d`, `${engine}://u:S3cr@h:99999/d`])
    expect(() => parseAddress(url)).toThrow(/^(?!.*(?:S3cr|tPart)).*Percent-encode/);
});

test.each([
  [
    "postgres://h/d?password=a&S3cr=b",
    /^The database URL has an unknown parameter, number 2\. Known are host, port(?!.*S3cr)/,
  ],
  ["postgres://me:secret@a/db?sslmod=verify-full", /unknown parameter, number 1\. Known are .*sslmode/],
  ["mariadb://u@h/d?multipleStatements=true", /unknown parameter, number 1\. Known are socket/],
  ["mariadb://a,b/d", /must name one host/],
  ["postgres://a,b/db?target_session_attrs=standby", /target_session_attrs of read-write, primary or any/],
  ["postgres://h/d?sslmode=prefer", /sslmode of disable, require, verify-ca or verify-full/],
  ["postgres://h/d?sslmode=verify-ca", /authority in sslrootcert/],
  ["mariadb://h/d?sslmode=verify-ca", /authority in sslrootcert/],
  ["postgres://h/d?sslrootcert=/none.pem", /the file \/none\.pem as sslrootcert, which cannot be read \(ENOENT\)/],
  ["mariadb://h/d?sslmode=require&sslkey=/none.pem", /the file \/none\.pem as sslkey, which cannot be read/],
  [`postgres://h/d?sslrootcert=${import.meta.dirname}/../index.ts`, /no usable PEM files as sslrootcert/],
  [`postgres://h/d?sslmode=require&sslcert=${import.meta.dirname}/../index.ts`, /no usable PEM files as sslcert/],
])("%s is refused", (url, message) => {
  expect(() => checkAddress(url)).toThrow(message);
});

const certificate = keyPath("rsa-2048.certificate");

test.each([
  ["", undefined],
  ["sslmode=disable", false],
  ["ssl=true", { rejectUnauthorized: true }],
  ["sslmode=verify-full", { rejectUnauthorized: true }],
  ["sslmode=require", { rejectUnauthorized: false, checkServerIdentity: expect.any(Function) }],
  [
    `sslmode=require&sslrootcert=${certificate}`,
    { rejectUnauthorized: true, checkServerIdentity: expect.any(Function), ca: expect.any(String) },
  ],
  [
    `sslmode=verify-ca&sslrootcert=${certificate}`,
    { rejectUnauthorized: true, checkServerIdentity: expect.any(Function), ca: expect.any(String) },
  ],
  [`sslrootcert=${certificate}`, { rejectUnauthorized: true, ca: expect.any(String) }],
  ["sslmode=require&sslrootcert=system", { rejectUnauthorized: true }],
])("a Postgres with %p is reached with TLS %p", (parameters, ssl) => {
  expect(addressOf(`postgres://h/d?${parameters}`).hosts[0].ssl).toEqual(ssl);
});

test("a MariaDB follows the same modes", () => {
  expect(serverOf(`mariadb://h/d?sslmode=require&sslrootcert=${certificate}`).ssl).toMatchObject({
    rejectUnauthorized: true,
    verifyIdentity: false,
  });
});

/** Asks for TLS like a server of Postgres, and ends the connection when a client speaks inside of it. */
async function withTlsServer(work: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      const secured = new TLSSocket(socket, {
        isServer: true,
        key: pemFile("rsa-2048"),
        cert: pemFile("rsa-2048.certificate"),
      });
      secured.on("error", () => {});
      secured.once("data", () => secured.end());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

test("sslmode=require accepts any certificate, without a warning of the driver", async () => {
  const warned = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
  await withTlsServer(async (port) => {
    const failure = async (parameters: string) => {
      const client = new pg.Client(addressOf(`postgres://u:p@127.0.0.1:${port}/d?${parameters}`).hosts[0]);
      client.on("error", () => {});
      return client.connect().then(String, String);
    };
    expect(await failure("sslmode=require")).toMatch(/Connection terminated/);
    expect(await failure("sslmode=verify-full")).toMatch(/self[- ]signed|certificate/);
    expect(await failure(`sslmode=require&sslrootcert=${certificate}`)).toMatch(/Connection terminated/);
  });
  expect(warned).not.toHaveBeenCalled();
});
