import { earlier, later } from "../statements/storage-time.ts";
import type { Functions } from "../migrations/migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

export const claimBlocksProcedure: Functions = {
  name: "claim_blocks",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Judges blocks together, every one of which has its row and comes in the order in which rows are held; one that was swept away in
 * between makes it refused. A row without uses is nobody's yet. Answers whether the claim is allowed, and whether a block is known.
 */
function definition({ claimBlocks }: Tables): string {
  const asked = "json_table(digests, '$[*]' columns (place for ordinality, digest char(64) path '$')) asked";
  const held = `${asked} straight_join ${own.cipherBlocks} b on b.digest = unhex(asked.digest)`;
  const inTime = `b.first_used_at >= ${earlier("clock", "within")}`;
  return procedure(
    claimBlocks,
    "digests longtext, client binary(32), server_key varchar(255), ahead double, most_uses integer, within double",
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      declare good boolean;
      declare used boolean;
      select count(*) = json_length(digests) and coalesce(min(b.uses = 0 or (b.client_key = client and b.uses < most_uses and ${inTime})), 1),
        coalesce(max(b.uses > 0), 0)
      into good, used from ${held} for update;
      if good then
        update ${held} set
          b.key_id = if(b.uses = 0, server_key, b.key_id),
          b.first_used_at = if(b.uses = 0, clock, b.first_used_at),
          b.client_key = client,
          b.uses = b.uses + 1;
      else
        delete b from ${held} where b.uses = 0;
      end if;
      select good as allowed, used as known;`,
  );
}
