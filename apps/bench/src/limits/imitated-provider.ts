import { startProviderImitation } from "@sallyport/provider-imitation";
import { imitatedAccountCount, imitatedClient } from "../product/imitated-client.ts";

await startProviderImitation({
  port: Number(process.argv[2]),
  clients: [imitatedClient],
  accounts: imitatedAccountCount,
});
