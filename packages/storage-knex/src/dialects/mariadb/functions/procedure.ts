/**
 * A procedure that is all or nothing: within a transaction it is part of it, else it is one by itself. Whoever breaks it off in the
 * middle, as the time-out of statements does, must not use the connection again. The body is a block of its own, named `work`,
 * which may declare variables and be left.
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

/** What procedures refuse; what each means stands in `sql-errors.ts`. */
type Refusal = "SP302" | "SP304" | "SP307" | "SP315" | "SP610" | "SP713" | "SPLCK" | "SPMOD" | "SPUID";

/** A statement of a procedure that refuses. */
export function raise(refusal: Refusal, message: string): string {
  return `signal sqlstate '${refusal}' set message_text = '${message}'`;
}
