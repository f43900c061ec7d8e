import { messageWindow } from "@sallyport/storage";
import { type Functions, procedure } from "../migrator.ts";
import { earlier, addMilliseconds } from "../expressions.ts";
import { ownTables as own, type Tables } from "../tables.ts";

export const channelNumberProcedures: Functions = {
  name: "channel_numbers",
  number: 1,
  statements: (tables) => [acceptNumberProcedure(tables), reserveNumbersProcedure(tables)],
};

const bytes = messageWindow / 8;

/** The bits of a channel without accepted numbers. */
export const noNumbers = `repeat(x'00', ${bytes})`;

/** The accepted bits, with the bit of a number changed by an operator. */
function withBit(number: string, change: (byte: string, bit: string) => string): string {
  const place = `((${number} mod ${messageWindow}) div 8 + 1)`;
  const byte = `ord(substr(bits, ${place}, 1))`;
  return `insert(bits, ${place}, 1, char(${change(byte, `(1 << (${number} mod 8))`)}))`;
}

/**
 * Accepts a number unless it was accepted before or is too old. Answers the number of changed rows. A jump frees the
 * places of the numbers it leaves behind.
 */
function acceptNumberProcedure({ acceptNumber }: Tables): string {
  return procedure(
    acceptNumber,
    "channel binary(32), number bigint unsigned",
    `declare top bigint unsigned;
      declare bits binary(${bytes});
      declare passed bigint unsigned;
      declare continue handler for not found
      begin
        select 0 as row_count;
        set bits = null;
      end;
      select highest, accepted into top, bits from ${own.channels} where session = channel for update;
      if bits is null then leave work; end if;
      if top is not null and number <= top then
        if top - number >= ${messageWindow} or ord(substr(bits, (number mod ${messageWindow}) div 8 + 1, 1)) & (1 << (number mod 8)) then
          select 0 as row_count;
          leave work;
        end if;
      elseif top is null or number - top >= ${messageWindow} then
        set bits = ${noNumbers}, top = number;
      else
        set passed = top + 1;
        while passed < number do
          set bits = ${withBit("passed", (byte, bit) => `${byte} & ~${bit}`)}, passed = passed + 1;
        end while;
        set top = number;
      end if;
      update ${own.channels} set highest = top, accepted = ${withBit("number", (byte, bit) => `${byte} | ${bit}`)} where session = channel;
      select 1 as row_count;`,
  );
}

/** Answers the first reserved number; no row if the channel does not exist. */
function reserveNumbersProcedure({ reserveNumbers }: Tables): string {
  return procedure(
    reserveNumbers,
    "channel binary(32), numbers bigint",
    `update ${own.channels} set next_out = next_out + numbers where session = channel;
      select next_out - numbers as first from ${own.channels} where session = channel;`,
  );
}

export const registerBlocksProcedure: Functions = {
  name: "register_blocks",
  number: 1,
  statements: (tables) => [registerBlocksText(tables)],
};

/**
 * Checks blocks as a batch. Every block has a row, and rows are locked in order. A row that was swept away refuses the
 * call. A row without uses has no owner yet. Answers whether the call is allowed and whether a block is known.
 */
function registerBlocksText({ registerBlocks }: Tables): string {
  const requested = "json_table(digests, '$[*]' columns (place for ordinality, digest char(64) path '$')) requested";
  const locked = `${requested} straight_join ${own.cipherBlocks} b on b.digest = unhex(requested.digest)`;
  const inTime = `b.first_used_at >= ${earlier("clock", "within")}`;
  return procedure(
    registerBlocks,
    "digests longtext, client binary(32), server_key varchar(255), ahead double, most_uses integer, within double",
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare good boolean;
      declare used boolean;
      select count(*) = json_length(digests) and coalesce(min(b.uses = 0 or (b.client_key = client and b.uses < most_uses and ${inTime})), 1),
        coalesce(max(b.uses > 0), 0)
      into good, used from ${locked} for update;
      if good then
        update ${locked} set
          b.key_id = if(b.uses = 0, server_key, b.key_id),
          b.first_used_at = if(b.uses = 0, clock, b.first_used_at),
          b.client_key = client,
          b.uses = b.uses + 1;
      else
        delete b from ${locked} where b.uses = 0;
      end if;
      select good as allowed, used as known;`,
  );
}
