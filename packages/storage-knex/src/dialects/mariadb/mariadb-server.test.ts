import { serverOf } from "./mariadb-server.ts";

describe("the URL of a MariaDB", () => {
  test("says where the server is and who comes", () => {
    const server = { host: "db.example", port: 3307, user: "sally port", password: "p@ss" };
    expect(serverOf("mariadb://sally%20port:p%40ss@db.example:3307/sallyport")).toEqual(server);
    expect(serverOf("mysql://u@[::1]/")).toEqual({ host: "::1", port: 3306, user: "u", password: "" });
    expect(serverOf("mariadb://u@localhost/?socket=%2Frun%2Fmysqld.sock")).toEqual({
      socketPath: "/run/mysqld.sock",
      user: "u",
      password: "",
    });
  });

  test.each([
    ["disable", undefined],
    ["require", { rejectUnauthorized: false, verifyIdentity: false }],
    ["verify-ca", { rejectUnauthorized: true, verifyIdentity: false }],
    ["verify-full", { rejectUnauthorized: true, verifyIdentity: true }],
  ])("asks for encryption with sslmode=%s", (mode, ssl) => {
    expect(serverOf(`mariadb://u@h/d?sslmode=${mode}`).ssl).toEqual(ssl);
  });

  test.each([
    "postgres://u:secret@h/d",
    "mariadb://u:secret@:x/d",
    "secret",
    "mariadb://u:secret@h/d?sslmode=maybe",
    "mariadb://u:secret@h/d?multipleStatements=true",
  ])("is refused without its password being told: %s", (url) => {
    expect(() => serverOf(url)).toThrow(/^The URL of the database (?!.*secret)/);
  });
});
