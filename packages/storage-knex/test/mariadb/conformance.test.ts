import { storageConformance } from "@sallyport/conformance-kit";
import { mariadbAdapter } from "./mariadb-adapter.ts";
import { openTestMariadb } from "./test-mariadb.ts";

const server = await openTestMariadb();
afterAll(() => server.close(), 120_000);

await storageConformance(mariadbAdapter(server));
