import { messageWindow } from "@sallyport/core";
import { statement } from "../../../statement.ts";
import type { ChannelStatements } from "../../../statements/channel-statements.ts";
import type { Tables } from "../tables.ts";

export function channelStatements({ channels, sessions }: Tables): ChannelStatements {
  const number = "$2::numeric";
  const below = `(highest - ${number})::integer`;
  const bits = `bit(${messageWindow})`;
  return {
    open: statement(
      "channel_open",
      `insert into ${channels} as c (session, wrapped_key, iv_prefix)
      select digest, $2::text, $3::bytea from ${sessions} where digest = $1::bytea
      on conflict (session) do update set
        wrapped_key = excluded.wrapped_key, iv_prefix = excluded.iv_prefix,
        next_out = excluded.next_out, highest = excluded.highest, accepted = excluded.accepted`,
    ),
    reserveOut: statement(
      "channel_reserve",
      `update ${channels} set next_out = next_out + $2::bigint where session = $1::bytea returning next_out - $2::bigint as first`,
    ),
    // The branches keep distances that no integer holds away from the casts. Who waited for another number judges anew.
    acceptIn: statement(
      "channel_accept",
      `update ${channels} set
        highest = greatest(highest, ${number}),
        accepted = case
          when ${number} > highest then set_bit(accepted >> least(${number} - highest, ${messageWindow})::integer, 0, 1)::${bits}
          else set_bit(accepted, ${below}, 1)::${bits}
        end
      where session = $1::bytea and case
        when ${number} > highest then true
        when ${number} <= highest - ${messageWindow} then false
        else get_bit(accepted, ${below}) = 0
      end`,
    ),
    judge: statement(
      "channel_judge",
      `select ${number} <= highest - ${messageWindow} as old from ${channels} where session = $1::bytea`,
    ),
  };
}
