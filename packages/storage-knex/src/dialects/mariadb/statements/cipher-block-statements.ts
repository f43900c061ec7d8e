import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { CipherBlockStatements } from "../../../knex-channel-repository.ts";
import type { Tables } from "../tables.ts";
import { textsOf } from "./listed-values.ts";
import { earlier, storageTime } from "./storage-time.ts";

export function cipherBlockStatements({ cipherBlocks, claimBlocks }: Tables): CipherBlockStatements {
  const now = storageTime(4);
  return {
    claimNew: additionUnlessKnown(
      "block_claim_new",
      `insert into ${cipherBlocks} (digest, client_key, key_id, uses, first_used_at) values ($1, $2, $3, 1, ${now})`,
    ),
    prepare: statement(
      "block_prepare",
      `insert into ${cipherBlocks} (digest, client_key, key_id, uses, first_used_at)
      select unhex(listed.value), $2, $3, 0, ${now} from ${textsOf(1)} listed
      on duplicate key update uses = uses`,
    ),
    claim: statement("block_claim", `call ${claimBlocks}($1, $2, $3, $4, $5, $6)`),
    sweep: statement(
      "block_sweep",
      `delete from ${cipherBlocks}
      where key_id not in (select value from ${textsOf(1)} accepted) and first_used_at <= ${earlier(now, "$2")}
      limit $3`,
    ),
  };
}
