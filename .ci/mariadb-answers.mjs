/** Exits 0 if the MariaDB server at the given URL accepts a log-in. */
import mysql from "mysql2/promise";

const { hostname, port, username, password } = new URL(process.argv[2]);
try {
  const connection = await mysql.createConnection({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectTimeout: 2000,
  });
  const [rows] = await connection.query("select version() as version");
  if (!rows[0].version.includes("MariaDB")) process.exitCode = 1;
  await connection.end();
} catch {
  process.exitCode = 1;
}
