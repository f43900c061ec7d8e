import { messageWindow } from "@sallyport/core";
import { statement } from "../../../statement.ts";
import type { ChannelStatements } from "../../../knex-channel-repository.ts";
import { noNumbers } from "../functions/channel-numbers.ts";
import type { Tables } from "../tables.ts";

export function channelStatements({ acceptNumber, channels, reserveNumbers, sessions }: Tables): ChannelStatements {
  return {
    open: statement(
      "channel_open",
      `insert into ${channels} (session, wrapped_key, iv_prefix, accepted)
      select digest, $2, $3, ${noNumbers} from ${sessions} where digest = $1
      on duplicate key update
        wrapped_key = value(wrapped_key), iv_prefix = value(iv_prefix), next_out = 0, highest = null, accepted = value(accepted)`,
    ),
    reserveOut: statement("channel_reserve", `call ${reserveNumbers}($1, $2)`),
    acceptIn: statement("channel_accept", `call ${acceptNumber}($1, cast($2 as unsigned))`),
    judge: statement(
      "channel_judge",
      `select highest >= ${messageWindow} and cast($2 as unsigned) <= highest - ${messageWindow} as old from ${channels} where session = $1`,
    ),
  };
}
