import { jest } from "@jest/globals";

test("without its driver MariaDB says what to install", async () => {
  jest.unstable_mockModule("mysql2", () => {
    throw new Error("Cannot find package 'mysql2'");
  });
  const { createMariadbKnex } = await import("./create-mariadb-knex.ts");
  const settings = {
    url: "mariadb://u@h/d",
    connectTimeout: 1,
    statementTimeout: 1,
    pool: { max: 1, acquireTimeout: 1, maxPendingAcquires: 1 },
  };
  await expect(createMariadbKnex(settings)).rejects.toThrow("npm install mysql2");
});
