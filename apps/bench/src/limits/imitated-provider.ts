import { startProviderImitation } from "@sallyport/provider-imitation";
import { imitatedClient } from "../product/imitated-client.ts";

await startProviderImitation({ port: Number(process.argv[2]), clients: [imitatedClient] });
