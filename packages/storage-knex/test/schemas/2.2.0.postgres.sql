-- schema
create schema "sallyport";
create table "sallyport"."migrations" (
      name text collate "C" primary key,
      number integer not null default 1,
      applied_at timestamptz not null default statement_timestamp()
    );

-- migration 0001-access
create table "sallyport"."settings" (
      singleton boolean primary key default true check (singleton),
      maintenance boolean not null default false,
      model_generation bigint not null default 1,
      macro_generation bigint not null default 0
    ) with (fillfactor = 50);
insert into "sallyport"."settings" default values;
create table "sallyport"."app_keys" (
      id text collate "C" primary key,
      name text collate "C" not null unique,
      digest bytea not null unique check (octet_length(digest) = 32),
      enabled boolean not null default true,
      app_names jsonb,
      origins jsonb not null,
      return_addresses jsonb not null default '[]'
    );
create table "sallyport"."accounts" (
      user_id bigint primary key,
      login_name text collate "C" not null unique,
      confusable_key text collate "C" not null unique,
      secret text not null,
      secret_version integer not null default 1,
      administrator boolean not null,
      disabled boolean not null default false,
      email text
    );
create table "sallyport"."sessions" (
      digest bytea primary key check (octet_length(digest) = 32),
      mode text not null,
      app_key_id text collate "C" not null,
      user_id bigint not null,
      secret_version integer not null,
      app_names jsonb not null,
      reserved_names jsonb,
      enrolling boolean not null default false,
      device_id text collate "C",
      opened_at timestamptz not null,
      expires_at timestamptz not null,
      ends_at timestamptz not null,
      custom_account uuid,
      custom_version integer,
      link_id text collate "C",
      link_born bigint
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index sessions_device on "sallyport"."sessions" (user_id, app_key_id, device_id);
create index sessions_custom_account on "sallyport"."sessions" (custom_account) where custom_account is not null;
create index sessions_link on "sallyport"."sessions" (link_id) where link_id is not null;
create index sessions_app_names on "sallyport"."sessions" using gin (app_names jsonb_path_ops) with (fastupdate = off);
create index sessions_reserved_names on "sallyport"."sessions" using gin (reserved_names jsonb_path_ops) with (fastupdate = off)
    where reserved_names is not null;
create table "sallyport"."session_counts" (
      shard integer primary key,
      sessions bigint not null,
      opened bigint not null
    ) with (fillfactor = 20);
insert into "sallyport"."session_counts" select shard, 0, 0 from generate_series(0, 63) as shard;
create table "sallyport"."seat_counts" (
      app_name text collate "C" primary key,
      kind text not null,
      taken bigint not null,
      opened bigint not null
    ) with (fillfactor = 50);
create table "sallyport"."channels" (
      session bytea primary key references "sallyport"."sessions" (digest) on update cascade on delete cascade,
      wrapped_key text not null,
      iv_prefix bytea not null check (octet_length(iv_prefix) = 3),
      next_out bigint not null default 0,
      highest numeric(20) not null default -1,
      accepted bit(1024) not null default repeat('0', 1024)::bit(1024)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
create table "sallyport"."cipher_blocks" (
      digest bytea primary key check (octet_length(digest) = 32),
      client_key bytea not null check (octet_length(client_key) = 32),
      key_id text collate "C" not null,
      uses integer not null,
      first_used_at timestamptz not null
    ) with (fillfactor = 90);
create index cipher_blocks_key on "sallyport"."cipher_blocks" (key_id, first_used_at);
create table "sallyport"."custom_accounts" (
      id uuid primary key,
      login_name text collate "C" not null unique,
      confusable_key text collate "C" not null unique,
      user_id bigint not null,
      email text,
      secret text not null,
      secret_version integer not null default 1,
      disabled boolean not null default false
    );
create index custom_accounts_user on "sallyport"."custom_accounts" (user_id);
create table "sallyport"."throttle" (
      key text collate "C" primary key,
      failures integer not null,
      delayed_at timestamptz not null,
      forget_at timestamptz not null
    ) with (fillfactor = 80);
create index throttle_forget on "sallyport"."throttle" (forget_at);
create sequence "sallyport"."record_versions";
create table "sallyport"."records" (
      kind text collate "C" not null,
      id text collate "C" not null,
      owner text collate "C",
      value json not null,
      version bigint not null,
      born bigint not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      due_at timestamptz,
      claims integer not null default 0,
      primary key (kind, id)
    );
alter sequence "sallyport"."record_versions" owned by "sallyport"."records".version;
alter table "sallyport"."records" alter column kind set statistics 0;
alter table "sallyport"."records" alter column id set statistics 0;
alter table "sallyport"."records" alter column expires_at set statistics 0;
alter table "sallyport"."records" alter column due_at set statistics 0;
create index records_owner on "sallyport"."records" (owner, kind, id) where owner is not null;
create index records_expiry on "sallyport"."records" (expires_at) where expires_at < 'infinity';
create index records_kind_expiry on "sallyport"."records" (kind, expires_at) include (created_at) where born > 0;
create index records_born on "sallyport"."records" (kind, born) where born > 0;
create table "sallyport"."audit" (
      sequence bigint generated always as identity primary key,
      at timestamptz not null,
      type text not null,
      request_id text not null,
      outcome integer not null,
      app_key_id text not null,
      actor_id bigint,
      subject_id bigint,
      address text not null,
      app_names jsonb not null,
      attempts bigint not null default 1,
      since timestamptz,
      class_name text collate "C",
      macro_name text collate "C",
      provider_name text collate "C"
    );
create table "sallyport"."audit_tallies" (
      key text collate "C",
      shard integer,
      attempts bigint not null,
      since timestamptz not null,
      at timestamptz not null,
      type text not null,
      request_id text not null,
      outcome integer not null,
      app_key_id text not null,
      actor_id bigint,
      subject_id bigint,
      address text not null,
      app_names jsonb not null,
      class_name text collate "C",
      macro_name text collate "C",
      provider_name text collate "C",
      primary key (key, shard)
    ) with (fillfactor = 50);
analyze "sallyport"."settings";
analyze "sallyport"."session_counts";
insert into "sallyport"."migrations" (name, number) values ('0001-access', 1);

-- migration 0002-objects
create table "sallyport"."classes" (
      name text collate "C" primary key,
      position bigint generated always as identity,
      definition jsonb not null
    );
insert into "sallyport"."classes" (name, definition)
        select definition ->> 'name', definition
        from jsonb_array_elements('[{"name":"User","base":null,"attributes":[{"name":"Name","type":"string","mandatory":true},{"name":"Description","type":"string"},{"name":"Groups","type":"collection","target":"UserGroup"}],"rights":[]},{"name":"UserGroup","base":null,"attributes":[{"name":"Name","type":"string","mandatory":true},{"name":"Description","type":"string"}],"rights":[]},{"name":"Image","base":null,"attributes":[],"rights":[]},{"name":"File","base":null,"attributes":[{"name":"Name","type":"string","mandatory":true},{"name":"Size","type":"number"},{"name":"MediaType","type":"string"},{"name":"Sha256","type":"string"}],"rights":[]},{"name":"xRestApiUserProvider","base":null,"attributes":[{"name":"Provider","type":"string","mandatory":true},{"name":"Uuid","type":"string","mandatory":true},{"name":"Name","type":"string"},{"name":"Surname","type":"string"},{"name":"Email","type":"string"},{"name":"User","type":"reference","target":"User"}],"rights":[]}]'::jsonb) with ordinality as given (definition, position)
        order by position;
create function "sallyport"."stamp_offset" () returns bigint language sql stable as 'select (0)::bigint';
create sequence "sallyport"."object_ids" maxvalue 3656158440062975;
create table "sallyport"."objects" (
      oid bigint primary key default nextval('"sallyport"."object_ids"'),
      uuid uuid not null unique,
      class text collate "C" not null,
      version integer not null default 1,
      stored_at timestamptz(3) not null,
      readers bigint[],
      attributes jsonb not null,
      bytes integer not null generated always as (octet_length(attributes::text)) stored,
      stamp bigint not null default "sallyport"."stamp_offset"() + txid_current()
    ) with (fillfactor = 90);
alter table "sallyport"."objects" add constraint objects_size check (bytes <= 1048576) not valid;
alter sequence "sallyport"."object_ids" owned by "sallyport"."objects".oid;
create index objects_open on "sallyport"."objects" (class, oid) where readers is null;
create index objects_restricted on "sallyport"."objects" (class, oid) where readers is not null;
create index objects_stamp on "sallyport"."objects" (stamp, oid);
create table "sallyport"."tombstones" (
      oid bigint primary key,
      uuid uuid not null unique,
      class text collate "C" not null,
      version integer not null,
      deleted_at timestamptz(3) not null,
      readers bigint[],
      attributes jsonb,
      root bigint not null,
      stamp bigint not null default "sallyport"."stamp_offset"() + txid_current(),
      deleted_by bigint
    );
create index tombstones_root on "sallyport"."tombstones" (root) where attributes is not null;
create index tombstones_class on "sallyport"."tombstones" (class) where attributes is not null;
create index tombstones_stamp on "sallyport"."tombstones" (stamp, oid);
create index tombstones_deleted_by on "sallyport"."tombstones" (deleted_by, deleted_at, oid) where attributes is not null;
create index tombstones_deleted_at on "sallyport"."tombstones" (deleted_at, oid) where attributes is not null and root = oid;
create table "sallyport"."links" (
      target bigint not null,
      source bigint not null,
      attribute text collate "C" not null,
      primary key (target, source, attribute)
    );
create index links_source on "sallyport"."links" (source, attribute);
create table "sallyport"."locks" (
      oid bigint primary key,
      session bytea not null check (octet_length(session) = 32),
      since timestamptz not null
    ) with (fillfactor = 80);
create index locks_session on "sallyport"."locks" (session);
create table "sallyport"."object_counts" (
      class text collate "C" not null,
      shard integer not null,
      objects bigint not null,
      primary key (class, shard)
    ) with (fillfactor = 20);
create function "sallyport"."count_added" () returns trigger language plpgsql as $$ begin raise exception 'The functions are not installed.'; end $$;
create function "sallyport"."count_removed" () returns trigger language plpgsql as $$ begin raise exception 'The functions are not installed.'; end $$;
create function "sallyport"."count_opened" () returns trigger language plpgsql as $$ begin raise exception 'The functions are not installed.'; end $$;
create function "sallyport"."stamp_row" () returns trigger language plpgsql as $$ begin raise exception 'The functions are not installed.'; end $$;
create trigger count_added after insert on "sallyport"."objects" referencing new table as added
      for each statement when (coalesce(current_setting('sallyport.counted', true), '') <> 'yes') execute function "sallyport"."count_added"();
create trigger count_removed after delete on "sallyport"."objects"
      referencing old table as removed for each statement execute function "sallyport"."count_removed"();
create trigger count_opened after update of readers on "sallyport"."objects" for each row
      when ((old.readers is null) <> (new.readers is null)) execute function "sallyport"."count_opened"();
create trigger objects_stamped before insert or update on "sallyport"."objects" for each row execute function "sallyport"."stamp_row"();
create trigger tombstones_stamped before insert or update on "sallyport"."tombstones" for each row execute function "sallyport"."stamp_row"();
analyze "sallyport"."links";
insert into "sallyport"."migrations" (name, number) values ('0002-objects', 1);

-- migration 0003-change-index
create index objects_changes on "sallyport"."objects" (class, stamp, oid);
insert into "sallyport"."migrations" (name, number) values ('0003-change-index', 1);

-- migration 0004-former-readers
create table "sallyport"."former_readers" (
        oid bigint not null,
        stamp bigint not null,
        class text collate "C" not null,
        readers bigint[],
        changed_at timestamptz(3) not null,
        primary key (oid, stamp)
      );
create index former_readers_changes on "sallyport"."former_readers" (class, stamp, oid);
create index former_readers_age on "sallyport"."former_readers" (changed_at, stamp, oid);
create function "sallyport"."keep_readers" () returns trigger language plpgsql as $$ begin return null; end $$;
alter table "sallyport"."objects" add column created_stamp bigint;
alter table "sallyport"."objects" alter column created_stamp set default "sallyport"."stamp_offset"() + txid_current();
drop index "sallyport".objects_stamp;
create trigger readers_kept after update of readers on "sallyport"."objects" for each row
        when (old.readers is distinct from new.readers) execute function "sallyport"."keep_readers"();
insert into "sallyport"."migrations" (name, number) values ('0004-former-readers', 1);

-- migration 0005-swept-objects
create table "sallyport"."swept_objects" (oid bigint primary key, uuid uuid not null unique);
alter table "sallyport"."tombstones" add column created_stamp bigint;
create index tombstones_changes on "sallyport"."tombstones" (class, stamp, oid);
create index tombstones_age on "sallyport"."tombstones" (deleted_at, oid) where attributes is null;
insert into "sallyport"."migrations" (name, number) values ('0005-swept-objects', 1);

-- migration 0006-swept-stamp
alter table "sallyport"."settings" add column swept_stamp bigint not null default 0;
insert into "sallyport"."migrations" (name, number) values ('0006-swept-stamp', 1);

-- migration 0007-session-address
alter table "sallyport"."sessions" add column address text;
insert into "sallyport"."migrations" (name, number) values ('0007-session-address', 1);

-- migration 0008-timeline
alter table "sallyport"."settings" add column timeline jsonb;
insert into "sallyport"."migrations" (name, number) values ('0008-timeline', 1);

-- migration 0009-stamp-sequence
lock table "sallyport"."objects", "sallyport"."tombstones" in access exclusive mode;
create sequence "sallyport"."stamps" maxvalue 9007199254740991;
select setval('"sallyport"."stamps"', stamp) from (select greatest(coalesce(pg_sequence_last_value('"sallyport"."stamps"'), 0), greatest((
      with recursive c as (select (select class from "sallyport"."objects" where true order by class limit 1) as class union all select (select class from "sallyport"."objects" where class > c.class order by class limit 1) from c where c.class is not null)
      select max((select stamp from "sallyport"."objects" o where o.class = c.class order by stamp desc limit 1)) from c
    ), (select max(stamp) from "sallyport"."tombstones"), (select swept_stamp from "sallyport"."settings"))) + 0 as stamp) raised where stamp > 0;
create or replace function "sallyport"."take_stamp" () returns bigint language plpgsql as $$
  declare
    taken bigint;
    done boolean;
    setting text;
  begin
    done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:writer'), 0) is not null;
    taken := nextval('"sallyport"."stamps"');
    done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:stamp'), (((taken) & 4294967295) - ((taken) & 2147483648) * 2)::integer) is not null;
    setting := set_config('sallyport.sallyport_stamp', taken::text, true);
    return taken;
  end
  $$;
create or replace function "sallyport"."stamp_row" () returns trigger language plpgsql as $$
  begin
    new.stamp := coalesce(nullif(current_setting('sallyport.sallyport_stamp', true), '')::bigint, "sallyport"."take_stamp"());
    if new.created_stamp = 0 then
      new.created_stamp := new.stamp;
    end if;
    return new;
  end
  $$;
create or replace function "sallyport"."keep_stamp" () returns trigger language plpgsql as $$
  declare
    issued bigint := nullif(current_setting('sallyport.sallyport_floor', true), '');
    origin constant bigint := new.stamp;
    done boolean;
    setting text;
  begin
    if issued is null then
      done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:writer'), 0) is not null;
      issued := coalesce(pg_sequence_last_value('"sallyport"."stamps"'), 0);
      done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:stamp'), (((issued + 1) & 4294967295) - ((issued + 1) & 2147483648) * 2)::integer) is not null;
      setting := set_config('sallyport.sallyport_floor', issued::text, true);
    end if;
    if origin <= issued then
      new.stamp := coalesce(nullif(current_setting('sallyport.sallyport_stamp', true), '')::bigint, "sallyport"."take_stamp"());
      if tg_nargs > 0 then
        if new.created_stamp = origin then
          new.created_stamp := new.stamp;
        end if;
      end if;
    end if;
    return new;
  end
  $$;
alter table "sallyport"."objects" alter column stamp set default 0, alter column created_stamp set default 0;
alter table "sallyport"."tombstones" alter column stamp set default 0;
create trigger objects_replicated before insert or update on "sallyport"."objects" for each row execute function "sallyport"."keep_stamp"('object');
alter table "sallyport"."objects" enable replica trigger objects_replicated;
create trigger tombstones_replicated before insert or update on "sallyport"."tombstones" for each row execute function "sallyport"."keep_stamp"('object');
alter table "sallyport"."tombstones" enable replica trigger tombstones_replicated;
create trigger former_readers_replicated before insert or update on "sallyport"."former_readers" for each row execute function "sallyport"."keep_stamp"();
alter table "sallyport"."former_readers" enable replica trigger former_readers_replicated;
drop function "sallyport".stamp_offset();
insert into "sallyport"."migrations" (name, number) values ('0009-stamp-sequence', 1);

-- migration 0010-audit-changes
alter table "sallyport"."audit" add column changes json not null default '[]';
insert into "sallyport"."migrations" (name, number) values ('0010-audit-changes', 1);

-- migration 0011-tally-changes
alter table "sallyport"."audit_tallies" add column changes json not null default '[]';
insert into "sallyport"."migrations" (name, number) values ('0011-tally-changes', 1);

-- functions attempt_throttle 1
create or replace function "sallyport"."attempt_throttle" (
    policies jsonb, ahead float8, keys text[], out wait float8, out reserved boolean
  ) language plpgsql as $$
  begin
    wait := 0;
    reserved := false;
    perform from "sallyport"."throttle" t where t.key = any (array(select unnest(keys)));
    if not found then
      return;
    end if;
    with requested as materialized (select * from jsonb_to_recordset(policies) as a (key text, max_failures integer, initial_delay float8, max_delay float8, reset_after float8, exemption text)),
    clock as materialized (select statement_timestamp() + ahead * interval '1 millisecond' as now),
    delayed as (select t.key, t.delayed_at + case when t.failures < a.max_failures then 0 else least(a.max_delay, a.initial_delay * power(2, least(t.failures - a.max_failures, 30))) end * interval '1 millisecond' as free_at, c.now, exists (select from "sallyport"."throttle" e where e.key = a.exemption and e.forget_at > c.now) as exempt
    from "sallyport"."throttle" t join requested a on a.key = t.key cross join clock c
    where t.key = any (array(select key from requested)) and t.forget_at > c.now and case when t.failures < a.max_failures then 0 else least(a.max_delay, a.initial_delay * power(2, least(t.failures - a.max_failures, 30))) end > 0 order by t.key for update of t),
    checked as (select * from delayed where not exempt),
    updated as (
      update "sallyport"."throttle" t set delayed_at = checked.now from checked
      where t.key = checked.key and not exists (select from checked where free_at > now)
      returning t.key
    )
    select case when exists (select from checked where free_at > now) then (select coalesce(max(greatest(0, ceil(extract(epoch from free_at - now) * 1000))), 0)::float8 from delayed) else 0 end,
      exists (select from updated)
    into wait, reserved;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('attempt_throttle', 1);

-- functions keep_readers 1
create or replace function "sallyport"."keep_readers" () returns trigger language plpgsql as $$
  begin
    if old.created_stamp = new.stamp or exists (select from "sallyport"."former_readers" where oid = new.oid and stamp = new.stamp) then
      return null;
    end if;
    delete from "sallyport"."former_readers"
      where oid = new.oid and (readers = '{}' or readers <@ old.readers or readers is null and old.readers is null);
    update "sallyport"."former_readers" set readers = array(select reader from unnest(readers) with ordinality as list (reader, place) where reader <> all (old.readers) order by place)
      where oid = new.oid and readers && old.readers;
    insert into "sallyport"."former_readers" (oid, stamp, class, readers, changed_at) values (new.oid, new.stamp, new.class, old.readers, new.stored_at);
    return null;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('keep_readers', 1);

-- functions lock_objects 1
create or replace function "sallyport"."lock_objects" (numbers bigint[], generation bigint) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:model', 0));
    if generation <> (select model_generation from "sallyport"."settings") then
      raise exception using errcode = 'SPMOD', message = 'The model was changed.';
    end if;
    perform from "sallyport"."objects" where oid = any (numbers) order by oid for update;
    perform from "sallyport"."tombstones" where oid = any (numbers) order by oid for update;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('lock_objects', 1);

-- functions insert_objects 3
drop function if exists "sallyport"."insert_objects";
create function "sallyport"."insert_objects" (requested jsonb, linked jsonb, targets bigint[], generation bigint, ahead float8)
  returns table (oid bigint, uuid uuid, version integer, stored_at timestamptz) language plpgsql set plan_cache_mode = force_generic_plan as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    found bigint;
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:model', 0));
    if generation <> (select model_generation from "sallyport"."settings") then
      raise exception using errcode = 'SPMOD', message = 'The model was changed.';
    end if;
    if cardinality($3) > 0 then
      perform from "sallyport"."objects" where oid = any ($3) order by oid for key share;
      get diagnostics found = row_count;
      if found < cardinality($3) then
        raise exception using errcode = 'SP307', message = 'A target is gone.';
      end if;
    end if;
    if exists (select from jsonb_array_elements(requested) as element where element ->> 'fresh' is distinct from 'true') then
      if exists (select from "sallyport"."objects" where uuid in (select (element ->> 'uuid')::uuid from jsonb_array_elements(requested) as element)) or exists (select from "sallyport"."tombstones" where uuid in (select (element ->> 'uuid')::uuid from jsonb_array_elements(requested) as element)) or exists (select from "sallyport"."swept_objects" where uuid in (select (element ->> 'uuid')::uuid from jsonb_array_elements(requested) as element)) then
        raise exception using errcode = 'SPUID', message = 'Another object has the UUID.';
      end if;
    end if;
    if linked is null then
      return query insert into "sallyport"."objects" as o (uuid, class, attributes, readers, stored_at)
    select (element ->> 'uuid')::uuid, element ->> 'class', element -> 'attributes',
      case when jsonb_typeof(element -> 'readers') = 'array'
        then array(select reader::bigint from jsonb_array_elements_text(element -> 'readers') as reader) end,
      now
    from jsonb_array_elements(requested) with ordinality as list (element, position)
    order by position
    returning o.oid, o.uuid, o.version, o.stored_at;
    else
      return query with added as (insert into "sallyport"."objects" as o (uuid, class, attributes, readers, stored_at)
    select (element ->> 'uuid')::uuid, element ->> 'class', element -> 'attributes',
      case when jsonb_typeof(element -> 'readers') = 'array'
        then array(select reader::bigint from jsonb_array_elements_text(element -> 'readers') as reader) end,
      now
    from jsonb_array_elements(requested) with ordinality as list (element, position)
    order by position
    returning o.oid, o.uuid, o.version, o.stored_at), written as (
        insert into "sallyport"."links" (target, source, attribute)
        select distinct target, a.oid, l.attribute
        from jsonb_to_recordset(linked) as l (uuid uuid, attribute text, targets bigint[])
        join added a on a.uuid = l.uuid cross join unnest(l.targets) as target
      )
      select * from added;
    end if;
  end
  $$;
create or replace function "sallyport"."insert_object" (
    requested jsonb, linked jsonb, targets bigint[], generation bigint, ahead float8,
    out oid bigint, out uuid uuid, out version integer, out stored_at timestamptz
  ) language plpgsql set plan_cache_mode = force_generic_plan as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    kind constant text := requested ->> 'class';
    given constant uuid := requested ->> 'uuid';
    restricted bigint[];
    found bigint;
    setting text;
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:model', 0));
    if generation <> (select model_generation from "sallyport"."settings") then
      raise exception using errcode = 'SPMOD', message = 'The model was changed.';
    end if;
    if cardinality($3) > 0 then
      perform from "sallyport"."objects" where oid = any ($3) order by oid for key share;
      get diagnostics found = row_count;
      if found < cardinality($3) then
        raise exception using errcode = 'SP307', message = 'A target is gone.';
      end if;
    end if;
    if requested ->> 'fresh' is distinct from 'true' then
      if exists (select from "sallyport"."tombstones" where uuid = given) then
        raise exception using errcode = 'SPUID', message = 'Another object has the UUID.';
      end if;
      -- After the tombstone, which a sweep can replace at any time.
      if exists (select from "sallyport"."swept_objects" where uuid = given) then
        raise exception using errcode = 'SPUID', message = 'Another object has the UUID.';
      end if;
    end if;
    if jsonb_typeof(requested -> 'readers') = 'array' then
      restricted := array(select reader::bigint from jsonb_array_elements_text(requested -> 'readers') as reader);
    end if;
    setting := set_config('sallyport.counted', 'yes', true);
    insert into "sallyport"."objects" as o (uuid, class, attributes, readers, stored_at) values (given, kind, requested -> 'attributes', restricted, now)
      returning o.oid, o.uuid, o.version, o.stored_at into $6, $7, $8, $9;
    setting := set_config('sallyport.counted', '', true);
    if linked is not null then
      insert into "sallyport"."links" (target, source, attribute)
        select distinct target, $6, l.attribute
        from jsonb_to_recordset(linked) as l (attribute text, targets bigint[]) cross join unnest(l.targets) as target;
    end if;
    if restricted is null then
      update "sallyport"."object_counts" set objects = objects + 1 where class = kind and shard = pg_backend_pid() % 64;
      get diagnostics found = row_count;
      if found = 0 then
        insert into "sallyport"."object_counts" as counted (class, shard, objects) values (kind, pg_backend_pid() % 64, 1)
          on conflict (class, shard) do update set objects = counted.objects + 1;
      end if;
    end if;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('insert_objects', 3);

-- functions locks 1
create or replace function "sallyport"."take_lock" (number bigint, taker bytea, at_most bigint, ahead float8) returns text language plpgsql as $$
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    holder bytea;
  begin
    perform from "sallyport"."objects" where oid = number for no key update;
    if not found then
      return 'notFound';
    end if;
    select l.session into holder from "sallyport"."locks" l join "sallyport"."sessions" s on s.digest = l.session
      where l.oid = number and s.expires_at > now;
    if holder is not null then
      return case when holder = taker then 'locked' else 'lockedByOther' end;
    end if;
    if at_most > 0 then
      perform from "sallyport"."sessions" where digest = taker for no key update;
      if (select count(*) from "sallyport"."locks" where session = taker) >= at_most then
        return 'limitReached';
      end if;
    end if;
    insert into "sallyport"."locks" as l (oid, session, since) values (number, taker, now)
      on conflict (oid) do update set session = excluded.session, since = excluded.since;
    return 'locked';
  end
  $$;
create or replace function "sallyport"."release_lock" (number bigint, releaser bytea, ahead float8) returns text language plpgsql as $$
  declare
    holder bytea;
  begin
    select session into holder from "sallyport"."locks" where oid = number for update;
    if holder is null or not exists (
      select from "sallyport"."sessions" where digest = holder and expires_at > statement_timestamp() + ahead * interval '1 millisecond'
    ) then
      return 'notLocked';
    end if;
    if releaser is not null and holder <> releaser then
      return 'lockedByOther';
    end if;
    delete from "sallyport"."locks" where oid = number;
    return 'released';
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('locks', 1);

-- functions object_counts 1
create or replace function "sallyport"."count_added"() returns trigger language plpgsql as $$ begin insert into "sallyport"."object_counts" as counted (class, shard, objects) select class, pg_backend_pid() % 64, count(*) from added where readers is null group by class order by class
    on conflict (class, shard) do update set objects = counted.objects + excluded.objects; return null; end $$;
create or replace function "sallyport"."count_removed"() returns trigger language plpgsql as $$ begin insert into "sallyport"."object_counts" as counted (class, shard, objects) select class, pg_backend_pid() % 64, -count(*) from removed where readers is null group by class order by class
    on conflict (class, shard) do update set objects = counted.objects + excluded.objects; return null; end $$;
create or replace function "sallyport"."count_opened"() returns trigger language plpgsql as $$ begin insert into "sallyport"."object_counts" as counted (class, shard, objects) values (new.class, pg_backend_pid() % 64, case when new.readers is null then 1 else -1 end)
    on conflict (class, shard) do update set objects = counted.objects + excluded.objects; return null; end $$;
insert into "sallyport"."migrations" (name, number) values ('object_counts', 1);

-- functions object_ids 1
create or replace function "sallyport"."linked_objects" (attributes jsonb, links text[]) returns bigint[] language plpgsql immutable as $$
  declare
    numbers bigint[] := '{}';
    link text;
    id text;
    number bigint;
  begin
    foreach link in array links loop
      continue when not attributes ? link or jsonb_typeof(attributes -> link) not in ('string', 'array');
      foreach id in array string_to_array(replace((attributes -> link)::text, '\"', '_'), '"') loop
        continue when id !~ '^[1-9A-Z][0-9A-Z]{0,9}$';
        number := 0;
        for place in 1 .. length(id) loop
          number := number * 36 + strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1)) - 1;
        end loop;
        numbers := numbers || number;
      end loop;
    end loop;
    return numbers;
  end
  $$;
create or replace function "sallyport"."object_number" (id text) returns bigint language plpgsql immutable strict parallel safe as $$
  declare
    number bigint := nullif(strpos('123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', left(id, 1)), 0);
  begin
    if length(id) not between 1 and 10 then return null; end if;
    for place in 2 .. length(id) loop
      number := number * 36 + nullif(strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1)), 0) - 1;
    end loop;
    return number;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('object_ids', 1);

-- functions open_session 4
create or replace function "sallyport"."open_session_from" (
    digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint, limits jsonb, basis jsonb, address text
  ) returns void language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    remaining bigint := device_limit;
    ended integer := 0;
  begin
    if basis is not null then
      perform "sallyport"."require_basis"(basis, ahead);
    end if;
    if all_limit > 0 then
      if (select sum(sessions) from "sallyport"."session_counts") + current_setting('max_connections')::bigint < all_limit then
        perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:sessions', 0));
        if not ((select sum(sessions) from "sallyport"."session_counts") + current_setting('max_connections')::bigint < all_limit) then
          raise exception using errcode = '40001', message = 'The room for sessions has become smaller.';
        end if;
      else
        perform pg_advisory_xact_lock(hashtextextended('sallyport:sallyport:sessions', 0));
      end if;
    end if;
    if user_limit > 0 then
      perform pg_advisory_xact_lock(hashtextextended('sallyport:sallyport:sessions:' || user_number, 0));
      remaining := least(remaining, user_limit - (select count(*) from "sallyport"."sessions" where user_id = user_number and expires_at > now and not (user_id = user_number and app_key_id = app_key and device_id is not distinct from device and device is not null)));
    end if;
    if all_limit > 0 and (select sum(sessions) from "sallyport"."session_counts") >= all_limit then
      remaining := least(remaining, all_limit - (select count(*) from "sallyport"."sessions" where expires_at > now and not (user_id = user_number and app_key_id = app_key and device_id is not distinct from device and device is not null)));
    end if;
    if device is not null then
      perform pg_advisory_xact_lock(hashtextextended('sallyport:sallyport:sessions:' || user_number || ':' || app_key || ':' || device, 0));
      delete from "sallyport"."sessions" where digest = any (array(
        select digest from "sallyport"."sessions" where user_id = user_number and app_key_id = app_key and device_id = device
        order by expires_at desc, opened_at desc, digest offset greatest(remaining - 1, 0)
      ));
      get diagnostics ended = row_count;
    end if;
    if limits is not null then
      perform "sallyport"."take_seats"(limits, user_number, device, now);
    end if;
    if remaining < 1 then
      raise exception using errcode = 'SP315', message = 'There are as many sessions as allowed.';
    end if;
    insert into "sallyport"."sessions" (digest, mode, app_key_id, user_id, secret_version, app_names, enrolling, device_id, opened_at, expires_at, ends_at,
      custom_account, custom_version, link_id, link_born, address)
    values ($1, $2, app_key, user_number, $10, $5, $5 = '[]', device,
      now, now + least(idle, lifetime) * interval '1 millisecond', now + lifetime * interval '1 millisecond',
      $13, $14, $15, $16, $20);
    update "sallyport"."session_counts" set sessions = sessions + 1 - ended, opened = opened + 1 where shard = pg_backend_pid() % 64;
  end
  $$;
create or replace function "sallyport"."open_session" (
    digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint, limits jsonb
  ) returns void language sql as $$ select "sallyport"."open_session_from"(digest, mode, app_key, user_number, app_names, device, idle, lifetime, ahead, secret_version, all_limit, user_limit,
      custom_account, custom_version, link_id, link_born, device_limit, limits, null, null) $$;
create or replace function "sallyport"."take_seats" (limits jsonb, new_user bigint, new_device text, now timestamptz)
  returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
  #variable_conflict use_column
  declare
    listed record;
    holders bigint;
    opened_before bigint;
  begin
    for listed in
      select name, seats, kind, hashtextextended('sallyport:sallyport:seats:' || name, 0) as lock
      from jsonb_to_recordset(limits) as limited (name text, seats bigint, kind text) order by lock
    loop
      if coalesce((select taken - opened from "sallyport"."seat_counts" where app_name = listed.name and kind = listed.kind) + (select sum(opened) from "sallyport"."session_counts") + current_setting('max_connections')::bigint < listed.seats, false) or exists (select from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now and user_id = new_user and (listed.kind = 'user' or device_id = new_device))
        or listed.kind = 'device' and exists (select from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now and device_id = new_device) then
        perform pg_advisory_xact_lock_shared(listed.lock);
        if not (coalesce((select taken - opened from "sallyport"."seat_counts" where app_name = listed.name and kind = listed.kind) + (select sum(opened) from "sallyport"."session_counts") + current_setting('max_connections')::bigint < listed.seats, false) or exists (select from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now and user_id = new_user and (listed.kind = 'user' or device_id = new_device))
        or listed.kind = 'device' and exists (select from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now and device_id = new_device)) then
          raise exception using errcode = '40001', message = 'The number of free seats has become smaller.';
        end if;
        continue;
      end if;
      perform pg_advisory_xact_lock(listed.lock);
      continue when (select taken - opened from "sallyport"."seat_counts" where app_name = listed.name and kind = listed.kind) + (select sum(opened) from "sallyport"."session_counts") < listed.seats;
      select count(*), (select sum(opened) from "sallyport"."session_counts") into holders, opened_before from (select distinct case when listed.kind <> 'device' or device_id is null then user_id end, case when listed.kind <> 'user' then device_id end,
        case when listed.kind <> 'user' and device_id is null then digest end from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now) holding;
      if holders >= listed.seats and not (exists (select from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now and user_id = new_user and (listed.kind = 'user' or device_id = new_device))
        or listed.kind = 'device' and exists (select from "sallyport"."sessions" where (app_names @> jsonb_build_array(listed.name) or reserved_names @> jsonb_build_array(listed.name)) and expires_at > now and device_id = new_device)) then
        raise exception using errcode = 'SP306', message = 'No seat of the app name is free.';
      end if;
      insert into "sallyport"."seat_counts" (app_name, kind, taken, opened) values (listed.name, listed.kind, holders, opened_before)
      on conflict (app_name) do update set kind = excluded.kind, taken = excluded.taken, opened = excluded.opened;
    end loop;
  end
  $$;
create or replace function "sallyport"."change_app_names" (
    session bytea, reserve jsonb, limits jsonb, release jsonb, ahead float8
  ) returns text language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    released constant text[] := array(select jsonb_array_elements_text(release));
    present record;
    new_names jsonb;
  begin
    select user_id, device_id, app_names || coalesce(reserved_names, '[]') as names into present
    from "sallyport"."sessions" where digest = session and expires_at > now for update;
    if not found then
      return 'ended';
    elsif not present.names @> release then
      return 'notHeld';
    elsif release is not null then
      update "sallyport"."sessions" set app_names = app_names - released, reserved_names = reserved_names - released where digest = session;
      return 'changed';
    end if;
    select jsonb_agg(distinct name) into new_names from jsonb_array_elements(reserve) name where not present.names @> name;
    if new_names is not null then
      perform "sallyport"."take_seats"(
        (select jsonb_agg(limited) from jsonb_array_elements(limits) limited where new_names @> (limited -> 'name')),
        present.user_id, present.device_id, now
      );
      update "sallyport"."sessions" set reserved_names = coalesce(reserved_names, '[]') || new_names where digest = session;
      update "sallyport"."session_counts" set opened = opened + 1 where shard = pg_backend_pid() % 64;
    end if;
    return 'changed';
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('open_session', 4);

-- functions open_secure_session 1
create or replace function "sallyport"."open_secure_session" (
    digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint, limits jsonb, basis jsonb, address text, wrapped_key text, iv_prefix bytea
  ) returns void language plpgsql as $$
  begin
    perform "sallyport"."open_session_from"(digest, mode, app_key, user_number, app_names, device, idle, lifetime, ahead, secret_version, all_limit, user_limit,
      custom_account, custom_version, link_id, link_born, device_limit, limits, basis, address);
    insert into "sallyport"."channels" (session, wrapped_key, iv_prefix) values (digest, $21, $22);
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('open_secure_session', 1);

-- functions open_on_basis 2
create or replace function "sallyport"."require_basis" (basis jsonb, ahead float8) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:rules', 0));
    if exists (
      select from jsonb_to_recordset(basis) as expected (kind text, id text, version bigint)
      where version <> coalesce((
        select r.version from "sallyport"."records" r where r.kind = expected.kind and r.id = expected.id
          and r.expires_at > statement_timestamp() + ahead * interval '1 millisecond'
      ), 0)
    ) then
      raise exception using errcode = 'SP318', message = 'A record that the session depends on has changed.';
    end if;
  end
  $$;
create or replace function "sallyport"."open_on_basis" (
    basis jsonb, digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint, limits jsonb
  ) returns void language sql as $$ select "sallyport"."open_session_from"(digest, mode, app_key, user_number, app_names, device, idle, lifetime, ahead, secret_version, all_limit, user_limit,
      custom_account, custom_version, link_id, link_born, device_limit, limits, basis, null) $$;
create or replace function "sallyport"."change_on_basis" (
    basis jsonb, session bytea, reserve jsonb, limits jsonb, release jsonb, ahead float8
  ) returns text language plpgsql as $$
  begin
    if basis is not null then
      perform "sallyport"."require_basis"(basis, ahead);
    end if;
    return "sallyport"."change_app_names"(session, reserve, limits, release, ahead);
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('open_on_basis', 2);

-- functions pass_throttle 2
create or replace function "sallyport"."pass_throttle" (
    keys text[], requested jsonb, reset_keys text[], ahead float8, granted text, granted_group text, at_most integer, lifetime float8, renewal float8
  ) returns void language plpgsql as $$
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    failed boolean;
    exempt_until timestamptz;
  begin
    select count(*) filter (where t.key is distinct from granted) > 0, max(t.forget_at) filter (where t.key = granted) into failed, exempt_until
    from "sallyport"."throttle" t where t.key = any (keys || granted);
    if failed then
      perform from "sallyport"."throttle" t
        join jsonb_to_recordset(requested) as a (key text, max_failures integer, initial_delay float8, max_delay float8, exemption text) on a.key = t.key
        where t.key = any (keys) and t.forget_at > now and t.failures >= a.max_failures
          and t.delayed_at + least(a.max_delay, a.initial_delay * power(2, least(t.failures - a.max_failures, 30))) * interval '1 millisecond' > now
          and not exists (select from "sallyport"."throttle" e where e.key = a.exemption and e.forget_at > now);
      if found then
        raise exception using errcode = 'SP302', message = 'A delay runs.';
      end if;
      delete from "sallyport"."throttle" t where t.key in (
        select f.key from "sallyport"."throttle" f where f.key = any (reset_keys) order by f.key for update
      );
    end if;
    if granted is null or exempt_until >= now + (lifetime - renewal) * interval '1 millisecond' then
      return;
    end if;
    if not pg_try_advisory_xact_lock(hashtextextended('sallyport:sallyport:' || granted, 0)) then
      return;
    end if;
    insert into "sallyport"."throttle" (key, failures, delayed_at, forget_at) values (granted, 0, now, now + lifetime * interval '1 millisecond')
    on conflict (key) do update set delayed_at = excluded.delayed_at, forget_at = excluded.forget_at;
    if exempt_until is null then
      delete from "sallyport"."throttle" t where t.key = any (array(
        select s.key from "sallyport"."throttle" s where s.key = any (array(
          select g.key from "sallyport"."throttle" g where g.key > granted_group and g.key < granted_group || '~' order by g.forget_at desc, g.key offset at_most
        )) for update skip locked
      ));
    end if;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('pass_throttle', 2);

-- functions put_record 2
create or replace function "sallyport"."put_record" (
    record_kind text, record_id text, record_owner text, record_value json, lifetime float8, ahead float8, if_version bigint,
    owner_limit bigint, all_limit bigint
  ) returns text language plpgsql set plan_cache_mode = force_generic_plan as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    ends constant timestamptz := coalesce(now + lifetime * interval '1 millisecond', 'infinity');
    present bigint;
    living boolean;
    new_version bigint;
  begin
    if owner_limit > 0 then
      if (select count(*) from (select from "sallyport"."records" where kind = record_kind and owner = record_owner and expires_at > now limit owner_limit) living) + current_setting('max_connections')::bigint < owner_limit then
        perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:records:' || record_kind || ':' || record_owner, 0));
        if not ((select count(*) from (select from "sallyport"."records" where kind = record_kind and owner = record_owner and expires_at > now limit owner_limit) living) + current_setting('max_connections')::bigint < owner_limit) then
          raise exception using errcode = '40001', message = 'The room for records has become smaller.';
        end if;
      else
        perform pg_advisory_xact_lock(hashtextextended('sallyport:sallyport:records:' || record_kind || ':' || record_owner, 0));
        if (select count(*) from (select from "sallyport"."records" where kind = record_kind and owner = record_owner and expires_at > now limit owner_limit) living) >= owner_limit then
          return case when exists (select from "sallyport"."records" where kind = record_kind and id = record_id and expires_at > now) then 'exists' else 'ownerFull' end;
        end if;
      end if;
    end if;
    if all_limit > 0 then
      if (select count(*) from (select from "sallyport"."records" where kind = record_kind and born > 0 and expires_at > now limit all_limit) living) + current_setting('max_connections')::bigint < all_limit then
        perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:records:' || record_kind, 0));
        if not ((select count(*) from (select from "sallyport"."records" where kind = record_kind and born > 0 and expires_at > now limit all_limit) living) + current_setting('max_connections')::bigint < all_limit) then
          raise exception using errcode = '40001', message = 'The room for records has become smaller.';
        end if;
      else
        perform pg_advisory_xact_lock(hashtextextended('sallyport:sallyport:records:' || record_kind, 0));
        if (select count(*) from (select from "sallyport"."records" where kind = record_kind and born > 0 and expires_at > now limit all_limit) living) >= all_limit then
          return case when exists (select from "sallyport"."records" where kind = record_kind and id = record_id and expires_at > now) then 'exists' else 'full' end;
        end if;
      end if;
    end if;
    loop
      if coalesce(if_version, 0) = 0 then
        new_version := nextval('"sallyport"."record_versions"');
        insert into "sallyport"."records" (kind, id, owner, value, version, born, created_at, expires_at)
        values (record_kind, record_id, record_owner, record_value, new_version, new_version, now, ends)
        on conflict (kind, id) do nothing;
        if found then
          return 'stored';
        end if;
      end if;
      select version, expires_at > now into present, living from "sallyport"."records" where kind = record_kind and id = record_id for update;
      if living and if_version = 0 then
        return 'exists';
      elsif if_version > 0 and (living is not true or present <> if_version) then
        return 'stale';
      end if;
      -- Else it has been removed.
      if present is not null then
        new_version := nextval('"sallyport"."record_versions"');
        update "sallyport"."records" set owner = record_owner, value = record_value, version = new_version, expires_at = ends, due_at = null, claims = 0,
          born = case when living then born else new_version end, created_at = case when living then created_at else now end
        where kind = record_kind and id = record_id;
        return 'stored';
      end if;
    end loop;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('put_record', 2);

-- functions remove_accounts 1
create or replace function "sallyport"."remove_accounts" (users bigint[], given text[], customs uuid[]) returns integer language plpgsql as $$
  declare
    owners text[];
    removed integer;
    gone integer;
  begin
    if exists (select from "sallyport"."accounts" where user_id = any (users) and administrator and not disabled) then
      perform from "sallyport"."accounts" where administrator order by user_id for update;
      if not exists (select from "sallyport"."accounts" where administrator and not disabled and user_id <> all (users)) then
        return null;
      end if;
    end if;
    delete from "sallyport"."accounts" where user_id = any (users);
    get diagnostics removed = row_count;
    with deleted as (delete from "sallyport"."custom_accounts" where user_id = any (users) or id = any (customs) returning id)
    select given || coalesce(array_agg(owner), '{}'), count(*) filter (where id = any (customs)) into owners, gone
    from (
      select null::uuid as id, 'link:' || (value ->> 'id') as owner from "sallyport"."records" where kind = 'identityLink' and owner = any (given)
      union all select id, 'custom:' || id from deleted
    ) belongings where owner is not null;
    -- By the index of those that have an owner.
    delete from "sallyport"."records" where owner = any (owners) and owner is not null;
    return removed + gone;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('remove_accounts', 1);

-- functions stamp_row 2
create or replace function "sallyport"."take_stamp" () returns bigint language plpgsql as $$
  declare
    taken bigint;
    done boolean;
    setting text;
  begin
    done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:writer'), 0) is not null;
    taken := nextval('"sallyport"."stamps"');
    done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:stamp'), (((taken) & 4294967295) - ((taken) & 2147483648) * 2)::integer) is not null;
    setting := set_config('sallyport.sallyport_stamp', taken::text, true);
    return taken;
  end
  $$;
create or replace function "sallyport"."stamp_row" () returns trigger language plpgsql as $$
  begin
    new.stamp := coalesce(nullif(current_setting('sallyport.sallyport_stamp', true), '')::bigint, "sallyport"."take_stamp"());
    if new.created_stamp = 0 then
      new.created_stamp := new.stamp;
    end if;
    return new;
  end
  $$;
create or replace function "sallyport"."keep_stamp" () returns trigger language plpgsql as $$
  declare
    issued bigint := nullif(current_setting('sallyport.sallyport_floor', true), '');
    origin constant bigint := new.stamp;
    done boolean;
    setting text;
  begin
    if issued is null then
      done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:writer'), 0) is not null;
      issued := coalesce(pg_sequence_last_value('"sallyport"."stamps"'), 0);
      done := pg_advisory_xact_lock_shared(hashtext('sallyport:sallyport:stamp'), (((issued + 1) & 4294967295) - ((issued + 1) & 2147483648) * 2)::integer) is not null;
      setting := set_config('sallyport.sallyport_floor', issued::text, true);
    end if;
    if origin <= issued then
      new.stamp := coalesce(nullif(current_setting('sallyport.sallyport_stamp', true), '')::bigint, "sallyport"."take_stamp"());
      if tg_nargs > 0 then
        if new.created_stamp = origin then
          new.created_stamp := new.stamp;
        end if;
      end if;
    end if;
    return new;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('stamp_row', 2);

-- functions update_objects 3
drop function if exists "sallyport"."update_objects";
create function "sallyport"."update_objects" (
    changes jsonb, linked jsonb, targets bigint[], writer bytea, generation bigint, only_class text, classes text[], principals bigint[], ahead float8
  ) returns table (oid bigint, uuid uuid, class text, version integer, stored_at timestamptz, readers bigint[], attributes jsonb)
  language plpgsql set plan_cache_mode = force_generic_plan as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    numbers constant bigint[] := array(select (change -> 'oid')::bigint from jsonb_array_elements(changes) as change);
    found bigint;
    kept jsonb;
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:model', 0));
    if generation <> (select model_generation from "sallyport"."settings") then
      raise exception using errcode = 'SPMOD', message = 'The model was changed.';
    end if;
    perform from "sallyport"."objects"
      where oid = any (numbers) and (only_class is null or class = only_class) and (classes is null or class = any (classes))
        and (principals is null or readers is null or readers && principals)
      order by oid for no key update;
    get diagnostics found = row_count;
    if found < cardinality(numbers) then
      if exists (select from "sallyport"."tombstones" where oid = any (numbers)) then
        raise exception using errcode = 'SP610', message = 'An object is gone.';
      end if;
      raise exception using errcode = 'SP304', message = 'An object was never there.';
    end if;
    if exists (
      select from "sallyport"."locks" l join "sallyport"."sessions" s on s.digest = l.session
      where l.oid = any (numbers) and l.session is distinct from writer and s.expires_at > now
    ) then
      raise exception using errcode = 'SPLCK', message = 'An object is locked.';
    end if;
    if exists (
      select from jsonb_to_recordset(changes) as c (oid bigint, versions jsonb) join "sallyport"."objects" o on o.oid = c.oid
      where o.oid = any (numbers) and not c.versions @> to_jsonb(o.version)
    ) then
      raise exception using errcode = 'SP713', message = 'An object has another version.';
    end if;
    if cardinality($3) > 0 then
      perform from "sallyport"."objects" where oid = any ($3) order by oid for key share;
      get diagnostics found = row_count;
      if found < cardinality($3) then
        raise exception using errcode = 'SP307', message = 'A target is gone.';
      end if;
    end if;
    if linked is not null then
      with list as materialized (
        select l.source, l.attribute, l.targets from jsonb_to_recordset(linked) as l (source bigint, attribute text, targets bigint[])
        join jsonb_to_recordset(changes) as c (oid bigint, attributes jsonb) on c.oid = l.source
        join "sallyport"."objects" o on o.oid = l.source
        where o.oid = any (numbers) and jsonb_typeof(c.attributes -> l.attribute) = 'array' and jsonb_typeof(o.attributes -> l.attribute) = 'array'
      ), given as materialized (
        select target, l.source, l.attribute from list l cross join unnest(l.targets) as target
      ), kept as materialized (
        select k.source, k.attribute, array_agg(k.target) as targets from "sallyport"."links" k join list l on k.source = l.source and k.attribute = l.attribute
        where k.source = any (numbers)
          and (k.target, k.source, k.attribute) not in (select target, source, attribute from given)
          and coalesce(
            (select class <> all (classes) or not readers && principals from "sallyport"."objects" where oid = k.target),
            (select attributes is not null from "sallyport"."tombstones" where oid = k.target)
          )
        group by k.source, k.attribute
      )
      select jsonb_agg(jsonb_build_object('source', k.source, 'attribute', k.attribute, 'targets', k.targets, 'members', (
        select jsonb_agg(member order by place)
        from "sallyport"."objects" o cross join jsonb_array_elements(o.attributes -> k.attribute) with ordinality as whole (member, place)
        where o.oid = k.source and "sallyport"."object_number"(member #>> '{}') = any (k.targets)
      ))) into kept from kept k;
      if kept is not null then
        linked := linked || kept;
        changes := (
          select jsonb_agg(jsonb_set(change, '{attributes}', change -> 'attributes' || lists)) from (
            select change, coalesce(
              jsonb_object_agg(k.attribute, (change -> 'attributes' -> k.attribute) || k.members) filter (where k.source is not null), '{}'
            ) as lists
            from jsonb_array_elements(changes) as change
            left join jsonb_to_recordset(kept) as k (source bigint, attribute text, members jsonb) on k.source = (change -> 'oid')::bigint
            group by change
          ) merged
        );
      end if;
    end if;
    if linked is not null then
      with wanted as materialized (
        select distinct target, l.source, l.attribute from jsonb_to_recordset(linked) as l (source bigint, attribute text, targets bigint[]) cross join unnest(l.targets) as target
      )
      delete from "sallyport"."links" k using jsonb_to_recordset(linked) as l (source bigint, attribute text, targets bigint[])
      where k.source = any (numbers) and k.source = l.source and k.attribute = l.attribute
        and (k.target, k.source, k.attribute) not in (select target, source, attribute from wanted);
      insert into "sallyport"."links" (target, source, attribute)
      select distinct target, l.source, l.attribute from jsonb_to_recordset(linked) as l (source bigint, attribute text, targets bigint[]) cross join unnest(l.targets) as target
      on conflict do nothing;
    end if;
    if jsonb_path_exists(changes, '$[*].narrows') then
      return query update "sallyport"."objects" o
      set version = o.version + 1, stored_at = now, attributes = o.attributes || c.attributes, readers = case when c.narrows then c.readers else o.readers end
      from jsonb_to_recordset(changes) as c (oid bigint, attributes jsonb, narrows boolean, readers bigint[])
      where o.oid = any (numbers) and o.oid = c.oid
      returning o.oid, o.uuid, o.class, o.version, o.stored_at, o.readers, o.attributes;
    else
      return query update "sallyport"."objects" o
      set version = o.version + 1, stored_at = now, attributes = o.attributes || c.attributes
      from jsonb_to_recordset(changes) as c (oid bigint, attributes jsonb, narrows boolean, readers bigint[])
      where o.oid = any (numbers) and o.oid = c.oid
      returning o.oid, o.uuid, o.class, o.version, o.stored_at, o.readers, o.attributes;
    end if;
  end
  $$;
create or replace function "sallyport"."update_object" (
    number bigint, changed jsonb, versions bigint[], writer bytea, generation bigint, only_class text, classes text[], principals bigint[], ahead float8,
    out oid bigint, out uuid uuid, out class text, out version integer, out stored_at timestamptz, out readers bigint[], out attributes jsonb
  ) language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('sallyport:sallyport:model', 0));
    update "sallyport"."objects" o set version = o.version + 1, stored_at = now, attributes = o.attributes || changed
      where o.oid = number and (versions is null or o.version = any (versions))
        and (only_class is null or o.class = only_class) and (classes is null or o.class = any (classes))
        and (principals is null or o.readers is null or o.readers && principals)
        and (generation is null or generation = (select model_generation from "sallyport"."settings"))
      returning o.oid, o.uuid, o.class, o.version, o.stored_at, o.readers, o.attributes into $10, $11, $12, $13, $14, $15, $16;
    if not found then
      select o.* into $10, $11, $12, $13, $14, $15, $16 from "sallyport"."update_objects" (
        jsonb_build_array(jsonb_build_object('oid', number, 'attributes', changed, 'versions', versions)),
        null, '{}', writer, generation, only_class, classes, principals, ahead
      ) o;
    elsif exists (
      select from "sallyport"."locks" l join "sallyport"."sessions" s on s.digest = l.session
      where l.oid = number and l.session is distinct from writer and s.expires_at > now
    ) then
      raise exception using errcode = 'SPLCK', message = 'An object is locked.';
    end if;
  end
  $$;
insert into "sallyport"."migrations" (name, number) values ('update_objects', 3);
