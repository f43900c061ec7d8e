export { startPostgres } from "./postgres.ts";
