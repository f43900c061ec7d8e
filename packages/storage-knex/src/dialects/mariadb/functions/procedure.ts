/**
 * An atomic procedure. It joins an open transaction or runs its own. After an abort, such as a statement time-out, the
 * connection must not be used again. The body is a block named `work`, which can declare variables and be left.
 */
export function procedure(name: string, parameters: string, body: string): string {
  return `create or replace procedure ${name} (${parameters})
  modifies sql data sql security invoker
  begin
    declare alone boolean default not @@in_transaction;
    declare exit handler for sqlexception
    begin
      if alone then rollback; end if;
      resignal;
    end;
    if alone then start transaction; end if;
    work: begin
      ${body}
    end work;
    if alone then commit; end if;
  end`;
}

/** SQLSTATEs that procedures raise. `sql-errors.ts` maps them. */
type Refusal =
  | "SP302"
  | "SP304"
  | "SP306"
  | "SP307"
  | "SP315"
  | "SP318"
  | "SP610"
  | "SP713"
  | "SPLCK"
  | "SPMOD"
  | "SPUID";

/** A statement that raises a refusal. */
export function raise(refusal: Refusal, message: string): string {
  return `signal sqlstate '${refusal}' set message_text = '${message}'`;
}
