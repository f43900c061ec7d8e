-- schema
create database `sallyport` character set utf8mb4 collate utf8mb4_nopad_bin;
use `sallyport`;
create table if not exists `sallyport`.`migrations` (
      name varchar(100) primary key,
      number integer not null default 1,
      applied_at datetime(6) not null default (now(6))
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;

-- migration 0001-access
create table if not exists `sallyport`.`settings` (
      singleton boolean primary key default true check (singleton),
      maintenance boolean not null default false,
      model_generation bigint not null default 1,
      last_audit bigint not null default 0,
      macro_generation bigint not null default 0
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`settings` (singleton) values (true) on duplicate key update singleton = true;
create table if not exists `sallyport`.`app_keys` (
      id varchar(64) primary key,
      name varchar(768) not null,
      digest binary(32) not null,
      enabled boolean not null default true,
      app_names json,
      origins json not null,
      return_addresses json not null default '[]',
      unique key app_keys_name (name),
      unique key app_keys_digest (digest)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`accounts` (
    user_id bigint primary key,
    login_name text not null,
    confusable_key text not null,
    login_start varchar(768) as (left(login_name, 768)) virtual,
    login_digest binary(32) as (unhex(sha2(login_name, 256))) virtual,
    confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) virtual,
    secret text not null,
    secret_version integer not null default 1,
    administrator boolean not null,
    disabled boolean not null default false,
    email text,
    unique key accounts_login_name (login_digest),
    unique key accounts_confusable_key (confusable_digest),
    key accounts_login_start (login_start),
    key accounts_administrator (administrator, disabled)
  ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`sessions` (
      digest binary(32) primary key,
      mode varchar(16) not null,
      app_key_id varchar(64) not null,
      user_id bigint not null,
      secret_version integer not null,
      app_names json not null,
      reserved_names json not null default '[]',
      enrolling boolean not null default false,
      device_id varchar(600),
      opened_at datetime(6) not null,
      expires_at datetime(6) not null,
      ends_at datetime(6) not null,
      custom_account char(36),
      custom_version integer,
      link_id varchar(512),
      link_born bigint,
      key sessions_expiry (expires_at),
      key sessions_custom_account (custom_account),
      key sessions_link (link_id),
      key sessions_device (user_id, app_key_id, device_id)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`session_lock_rows` (number integer primary key) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`session_lock_rows` (number) values (-1), (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63), (64), (65), (66), (67), (68), (69), (70), (71), (72), (73), (74), (75), (76), (77), (78), (79), (80), (81), (82), (83), (84), (85), (86), (87), (88), (89), (90), (91), (92), (93), (94), (95), (96), (97), (98), (99), (100), (101), (102), (103), (104), (105), (106), (107), (108), (109), (110), (111), (112), (113), (114), (115), (116), (117), (118), (119), (120), (121), (122), (123), (124), (125), (126), (127), (128), (129), (130), (131), (132), (133), (134), (135), (136), (137), (138), (139), (140), (141), (142), (143), (144), (145), (146), (147), (148), (149), (150), (151), (152), (153), (154), (155), (156), (157), (158), (159), (160), (161), (162), (163), (164), (165), (166), (167), (168), (169), (170), (171), (172), (173), (174), (175), (176), (177), (178), (179), (180), (181), (182), (183), (184), (185), (186), (187), (188), (189), (190), (191), (192), (193), (194), (195), (196), (197), (198), (199), (200), (201), (202), (203), (204), (205), (206), (207), (208), (209), (210), (211), (212), (213), (214), (215), (216), (217), (218), (219), (220), (221), (222), (223), (224), (225), (226), (227), (228), (229), (230), (231), (232), (233), (234), (235), (236), (237), (238), (239), (240), (241), (242), (243), (244), (245), (246), (247), (248), (249), (250), (251), (252), (253), (254), (255) on duplicate key update number = value(number);
create table if not exists `sallyport`.`session_names` (
      app_name varchar(512) not null,
      session binary(32) not null,
      primary key (app_name, session),
      key session_names_session (session),
      foreign key (session) references `sallyport`.`sessions` (digest) on update cascade on delete cascade
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`seat_counts` (
      app_name varchar(512) primary key,
      kind varchar(16) not null,
      taken bigint,
      opened bigint not null
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`session_counts` (shard integer primary key, opened bigint not null) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`session_counts` (shard, opened) values (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0), (16, 0), (17, 0), (18, 0), (19, 0), (20, 0), (21, 0), (22, 0), (23, 0), (24, 0), (25, 0), (26, 0), (27, 0), (28, 0), (29, 0), (30, 0), (31, 0), (32, 0), (33, 0), (34, 0), (35, 0), (36, 0), (37, 0), (38, 0), (39, 0), (40, 0), (41, 0), (42, 0), (43, 0), (44, 0), (45, 0), (46, 0), (47, 0), (48, 0), (49, 0), (50, 0), (51, 0), (52, 0), (53, 0), (54, 0), (55, 0), (56, 0), (57, 0), (58, 0), (59, 0), (60, 0), (61, 0), (62, 0), (63, 0) on duplicate key update shard = value(shard);
create table if not exists `sallyport`.`channels` (
      session binary(32) primary key,
      wrapped_key text not null,
      iv_prefix binary(3) not null,
      next_out bigint not null default 0,
      highest bigint unsigned,
      accepted binary(128) not null,
      foreign key (session) references `sallyport`.`sessions` (digest) on update cascade on delete cascade
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`cipher_blocks` (
      digest binary(32) primary key,
      client_key binary(32) not null,
      key_id varchar(255) not null,
      uses integer not null,
      first_used_at datetime(6) not null,
      key cipher_blocks_key (key_id, first_used_at)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`custom_accounts` (
    id char(36) primary key,
    login_name text not null,
    confusable_key text not null,
    login_start varchar(768) as (left(login_name, 768)) virtual,
    login_digest binary(32) as (unhex(sha2(login_name, 256))) virtual,
    confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) virtual,
    user_id bigint not null,
    email text,
    secret text not null,
    secret_version integer not null default 1,
    disabled boolean not null default false,
    unique key custom_accounts_login_name (login_digest),
    unique key custom_accounts_confusable_key (confusable_digest),
    key custom_accounts_login_start (login_start),
    key custom_accounts_user (user_id)
  ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create sequence if not exists `sallyport`.`record_versions` nocache engine = InnoDB;
create table if not exists `sallyport`.`records` (
      kind varchar(32) not null,
      id varchar(512) not null,
      owner varchar(200),
      value longtext not null,
      version bigint not null,
      born bigint not null,
      created_at datetime(6) not null,
      expires_at datetime(6) not null,
      due_at datetime(6),
      claims integer not null default 0,
      primary key (kind, id),
      key records_owner (owner, kind, id),
      key records_expiry (expires_at),
      key records_kind_expiry (kind, expires_at, created_at),
      key records_born (kind, born)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`record_lock_rows` (number integer primary key) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`record_lock_rows` (number) values (-1), (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63), (64), (65), (66), (67), (68), (69), (70), (71), (72), (73), (74), (75), (76), (77), (78), (79), (80), (81), (82), (83), (84), (85), (86), (87), (88), (89), (90), (91), (92), (93), (94), (95), (96), (97), (98), (99), (100), (101), (102), (103), (104), (105), (106), (107), (108), (109), (110), (111), (112), (113), (114), (115), (116), (117), (118), (119), (120), (121), (122), (123), (124), (125), (126), (127), (128), (129), (130), (131), (132), (133), (134), (135), (136), (137), (138), (139), (140), (141), (142), (143), (144), (145), (146), (147), (148), (149), (150), (151), (152), (153), (154), (155), (156), (157), (158), (159), (160), (161), (162), (163), (164), (165), (166), (167), (168), (169), (170), (171), (172), (173), (174), (175), (176), (177), (178), (179), (180), (181), (182), (183), (184), (185), (186), (187), (188), (189), (190), (191), (192), (193), (194), (195), (196), (197), (198), (199), (200), (201), (202), (203), (204), (205), (206), (207), (208), (209), (210), (211), (212), (213), (214), (215), (216), (217), (218), (219), (220), (221), (222), (223), (224), (225), (226), (227), (228), (229), (230), (231), (232), (233), (234), (235), (236), (237), (238), (239), (240), (241), (242), (243), (244), (245), (246), (247), (248), (249), (250), (251), (252), (253), (254), (255) on duplicate key update number = value(number);
create table if not exists `sallyport`.`throttle` (
      `key` varchar(100) primary key,
      failures integer not null,
      delayed_at datetime(6) not null,
      forget_at datetime(6) not null,
      key throttle_forget (forget_at)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`audit` (
      sequence bigint auto_increment primary key,
      at datetime(6) not null,
      since datetime(6),
      attempts bigint not null default 1,
      type varchar(64) not null,
      request_id varchar(255) not null,
      outcome integer not null,
      app_key_id varchar(64) not null,
      actor_id bigint,
      subject_id bigint,
      address varchar(255) not null,
      app_names json not null,
      class_name varchar(63),
      macro_name varchar(128),
      provider_name varchar(32)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`audit_tallies` (
      `key` varchar(200) primary key,
      attempts bigint not null,
      since datetime(6) not null,
      at datetime(6) not null,
      type varchar(64) not null,
      request_id varchar(255) not null,
      outcome integer not null,
      app_key_id varchar(64) not null,
      actor_id bigint,
      subject_id bigint,
      address varchar(255) not null,
      app_names json not null,
      class_name varchar(63),
      macro_name varchar(128),
      provider_name varchar(32)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`migrations` (name, number) values ('0001-access', 1);

-- migration 0002-objects
create table if not exists `sallyport`.`objects` (
    oid bigint primary key,
    uuid char(36) character set ascii collate ascii_bin not null,
    class varchar(255) not null,
    version integer not null,
    readers longtext character set ascii collate ascii_bin,
    stamp bigint not null,
      stored_at bigint not null,
      restricted boolean generated always as (readers is not null) virtual,
      attributes longtext not null,
      bytes int generated always as (octet_length(attributes)) stored,
      unique key objects_uuid (uuid),
      key objects_class (class, restricted, oid),
      key objects_stamp (stamp, oid)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`tombstones` (
    oid bigint primary key,
    uuid char(36) character set ascii collate ascii_bin not null,
    class varchar(255) not null,
    version integer not null,
    readers longtext character set ascii collate ascii_bin,
    stamp bigint not null,
      deleted_at bigint not null,
      attributes longtext,
      recycled boolean generated always as (attributes is not null) virtual,
      root bigint not null,
      deleted_by bigint,
      unique key tombstones_uuid (uuid),
      key tombstones_root (root),
      key tombstones_class (class, recycled),
      key tombstones_stamp (stamp, oid),
      key tombstones_deleted_by (deleted_by, recycled, deleted_at, oid),
      key tombstones_deleted_at (recycled, deleted_at, oid)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`locks` (
      oid bigint primary key,
      session binary(32) not null,
      since bigint not null,
      key locks_session (session)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`object_series` (
      singleton boolean primary key default true check (singleton),
      stamp bigint not null,
      number bigint not null
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`object_series` (stamp, number) values (0, 0) on duplicate key update singleton = true;
create table if not exists `sallyport`.`object_counts` (
      class varchar(255) primary key,
      objects bigint not null
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create sequence if not exists `sallyport`.`object_numbers` minvalue 0 start with 1 nocache engine = InnoDB;
create table if not exists `sallyport`.`links` (
    target bigint not null,
    source bigint not null,
    attribute varchar(255) not null,
    primary key (target, source, attribute),
    key links_source (source, attribute)
  ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`classes` (
      name varchar(255) primary key,
      position bigint not null auto_increment,
      definition longtext not null,
      unique key classes_position (position)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`classes` (name, definition) values ('User', '{\"name\":\"User\",\"base\":null,\"attributes\":[{\"name\":\"Name\",\"type\":\"string\",\"mandatory\":true},{\"name\":\"Description\",\"type\":\"string\"},{\"name\":\"Groups\",\"type\":\"collection\",\"target\":\"UserGroup\"}],\"rights\":[]}'), ('UserGroup', '{\"name\":\"UserGroup\",\"base\":null,\"attributes\":[{\"name\":\"Name\",\"type\":\"string\",\"mandatory\":true},{\"name\":\"Description\",\"type\":\"string\"}],\"rights\":[]}'), ('Image', '{\"name\":\"Image\",\"base\":null,\"attributes\":[],\"rights\":[]}'), ('File', '{\"name\":\"File\",\"base\":null,\"attributes\":[{\"name\":\"Name\",\"type\":\"string\",\"mandatory\":true},{\"name\":\"Size\",\"type\":\"number\"},{\"name\":\"MediaType\",\"type\":\"string\"},{\"name\":\"Sha256\",\"type\":\"string\"}],\"rights\":[]}'), ('xRestApiUserProvider', '{\"name\":\"xRestApiUserProvider\",\"base\":null,\"attributes\":[{\"name\":\"Provider\",\"type\":\"string\",\"mandatory\":true},{\"name\":\"Uuid\",\"type\":\"string\",\"mandatory\":true},{\"name\":\"Name\",\"type\":\"string\"},{\"name\":\"Surname\",\"type\":\"string\"},{\"name\":\"Email\",\"type\":\"string\"},{\"name\":\"User\",\"type\":\"reference\",\"target\":\"User\"}],\"rights\":[]}') on duplicate key update name = name;
create table if not exists `sallyport`.`value_indexes` (
      class varchar(255) not null,
      attribute varchar(255) not null,
      type varchar(16) not null,
      primary key (class, attribute, type)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`migrations` (name, number) values ('0002-objects', 1);

-- migration 0003-changes
alter table `sallyport`.`objects` add column if not exists created_stamp bigint;
alter table `sallyport`.`tombstones` add column if not exists created_stamp bigint;
create index if not exists objects_changes on `sallyport`.`objects` (class, stamp, oid);
create index if not exists tombstones_changes on `sallyport`.`tombstones` (class, stamp, oid);
drop index if exists objects_stamp on `sallyport`.`objects`;
drop index if exists tombstones_stamp on `sallyport`.`tombstones`;
create table if not exists `sallyport`.`former_readers` (
      oid bigint not null,
      stamp bigint not null,
      class varchar(255) not null,
      readers longtext character set ascii collate ascii_bin,
      changed_at bigint not null,
      primary key (oid, stamp),
      key former_readers_changes (class, stamp, oid),
      key former_readers_age (changed_at, stamp, oid)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
create table if not exists `sallyport`.`swept_objects` (
      oid bigint primary key,
      uuid char(36) character set ascii collate ascii_bin not null,
      unique key swept_objects_uuid (uuid)
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
alter table `sallyport`.`settings` add column if not exists swept_stamp bigint not null default 0;
insert into `sallyport`.`migrations` (name, number) values ('0003-changes', 1);

-- migration 0004-session-address
alter table `sallyport`.`sessions` add column if not exists address varchar(64);
insert into `sallyport`.`migrations` (name, number) values ('0004-session-address', 1);

-- migration 0005-leases
create table if not exists `sallyport`.`leases` (
      work varchar(32) primary key,
      holder char(36) character set ascii collate ascii_bin not null,
      expires_at datetime(6) not null
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
insert into `sallyport`.`leases` (work, holder, expires_at) values ('archive', '', '1000-01-01'), ('indexes', '', '1000-01-01'), ('migrations', '', '1000-01-01')
      on duplicate key update work = work;
alter sequence `sallyport`.`record_versions` nocache;
insert into `sallyport`.`migrations` (name, number) values ('0005-leases', 1);

-- migration 0006-plain-columns
alter table `sallyport`.`objects`
      drop index if exists objects_class, drop column if exists restricted,
      add column restricted boolean generated always as (readers is not null) stored after stored_at,
      add key objects_class (class, restricted, oid);
alter table `sallyport`.`tombstones`
      drop index if exists tombstones_class, drop index if exists tombstones_deleted_by,
      drop index if exists tombstones_deleted_at, drop column if exists recycled,
      add column recycled boolean generated always as (attributes is not null) stored after attributes,
      add key tombstones_class (class, recycled),
      add key tombstones_deleted_by (deleted_by, recycled, deleted_at, oid),
      add key tombstones_deleted_at (recycled, deleted_at, oid);
alter table `sallyport`.`accounts`
    drop index if exists accounts_login_name, drop index if exists accounts_confusable_key, drop index if exists accounts_login_start,
    drop column if exists login_start, drop column if exists login_digest, drop column if exists confusable_digest,
    add column login_start varchar(768) as (left(login_name, 768)) stored after confusable_key,
    add column login_digest binary(32) as (unhex(sha2(login_name, 256))) stored after login_start,
    add column confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) stored after login_digest,
    add unique key accounts_login_name (login_digest),
    add unique key accounts_confusable_key (confusable_digest),
    add key accounts_login_start (login_start);
alter table `sallyport`.`custom_accounts`
    drop index if exists custom_accounts_login_name, drop index if exists custom_accounts_confusable_key, drop index if exists custom_accounts_login_start,
    drop column if exists login_start, drop column if exists login_digest, drop column if exists confusable_digest,
    add column login_start varchar(768) as (left(login_name, 768)) stored after confusable_key,
    add column login_digest binary(32) as (unhex(sha2(login_name, 256))) stored after login_start,
    add column confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) stored after login_digest,
    add unique key custom_accounts_login_name (login_digest),
    add unique key custom_accounts_confusable_key (confusable_digest),
    add key custom_accounts_login_start (login_start);
create table if not exists `sallyport`.`value_columns` (
      number bigint primary key auto_increment,
      attribute varchar(255) not null,
      type varchar(16) not null,
      expression varchar(2048) not null,
      ready boolean not null default false
    ) engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin;
alter table `sallyport`.`object_series` add column if not exists value_generation bigint not null default 0;
delete from `sallyport`.`value_indexes`;
insert into `sallyport`.`migrations` (name, number) values ('0006-plain-columns', 1);

-- migration 0007-audit-changes
alter table `sallyport`.`audit` add column if not exists changes json not null default '[]';
alter table `sallyport`.`audit_tallies` add column if not exists changes json not null default '[]';
insert into `sallyport`.`migrations` (name, number) values ('0007-audit-changes', 1);

-- functions admit_callback 1
create or replace procedure `sallyport`.`admit_callback` (state varchar(64), ahead double)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare stood longtext character set utf8mb4;
      begin
        declare continue handler for not found set stood = null;
        select value into stood from `records`
        where kind = 'providerState' and id = state and expires_at > clock and not (select maintenance from `settings`) for update;
      end;
      if stood is not null then
        delete from `records` where kind = 'providerState' and id = state;
      end if;
      select g.maintenance, g.model_generation, g.macro_generation,
        k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        k.return_addresses as key_return_addresses, stood as payload
      from `settings` g left join `app_keys` k on k.digest = if(json_value(stood, '$.appKey') regexp '^[0-9a-f]{64}$', unhex(json_value(stood, '$.appKey')), null);
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('admit_callback', 1);

-- functions audit 2
create or replace procedure `sallyport`.`settle_tallies` (age double, most bigint, ahead double)
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
      declare settled bigint default 0;
      for tally in (
        select `key` from `audit_tallies` where since <= ((now(6) + interval (ahead) * 1000 microsecond) - interval (age) * 1000 microsecond) order by since limit most for update skip locked
      ) do
        insert into `audit` (type, request_id, outcome, app_key_id, actor_id, subject_id, address, app_names, class_name, macro_name, provider_name, changes, at, since, attempts) select type, request_id, outcome, app_key_id, actor_id, subject_id, address, app_names, class_name, macro_name, provider_name, changes, at, since, attempts from `audit_tallies` where `key` = tally.`key`;
        delete from `audit_tallies` where `key` = tally.`key`;
        set settled = settled + 1;
      end for;
      select settled as row_count;
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`sweep_audit` (age double, most bigint, ahead double)
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
      declare highest bigint default (select max(sequence) from `audit`);
      declare swept bigint;
      delete from `audit`
      where sequence <= (select max(sequence) from (select sequence from `audit` order by sequence limit most) oldest)
        and at <= ((now(6) + interval (ahead) * 1000 microsecond) - interval (age) * 1000 microsecond);
      set swept = row_count();
      if swept > 0 then
        update `settings` set last_audit = greatest(last_audit, highest);
      end if;
      select swept as row_count;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('audit', 2);

-- functions channel_numbers 1
create or replace procedure `sallyport`.`accept_number` (channel binary(32), number bigint unsigned)
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
      declare top bigint unsigned;
      declare bits binary(128);
      declare passed bigint unsigned;
      declare continue handler for not found
      begin
        select 0 as row_count;
        set bits = null;
      end;
      select highest, accepted into top, bits from `channels` where session = channel for update;
      if bits is null then leave work; end if;
      if top is not null and number <= top then
        if top - number >= 1024 or ord(substr(bits, (number mod 1024) div 8 + 1, 1)) & (1 << (number mod 8)) then
          select 0 as row_count;
          leave work;
        end if;
      elseif top is null or number - top >= 1024 then
        set bits = repeat(x'00', 128), top = number;
      else
        set passed = top + 1;
        while passed < number do
          set bits = insert(bits, ((passed mod 1024) div 8 + 1), 1, char(ord(substr(bits, ((passed mod 1024) div 8 + 1), 1)) & ~(1 << (passed mod 8)))), passed = passed + 1;
        end while;
        set top = number;
      end if;
      update `channels` set highest = top, accepted = insert(bits, ((number mod 1024) div 8 + 1), 1, char(ord(substr(bits, ((number mod 1024) div 8 + 1), 1)) | (1 << (number mod 8)))) where session = channel;
      select 1 as row_count;
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`reserve_numbers` (channel binary(32), numbers bigint)
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
      update `channels` set next_out = next_out + numbers where session = channel;
      select next_out - numbers as first from `channels` where session = channel;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('channel_numbers', 1);

-- functions register_blocks 1
create or replace procedure `sallyport`.`register_blocks` (digests longtext, client binary(32), server_key varchar(255), ahead double, most_uses integer, within double)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare good boolean;
      declare used boolean;
      select count(*) = json_length(digests) and coalesce(min(b.uses = 0 or (b.client_key = client and b.uses < most_uses and b.first_used_at >= (clock - interval (within) * 1000 microsecond))), 1),
        coalesce(max(b.uses > 0), 0)
      into good, used from json_table(digests, '$[*]' columns (place for ordinality, digest char(64) path '$')) requested straight_join `cipher_blocks` b on b.digest = unhex(requested.digest) for update;
      if good then
        update json_table(digests, '$[*]' columns (place for ordinality, digest char(64) path '$')) requested straight_join `cipher_blocks` b on b.digest = unhex(requested.digest) set
          b.key_id = if(b.uses = 0, server_key, b.key_id),
          b.first_used_at = if(b.uses = 0, clock, b.first_used_at),
          b.client_key = client,
          b.uses = b.uses + 1;
      else
        delete b from json_table(digests, '$[*]' columns (place for ordinality, digest char(64) path '$')) requested straight_join `cipher_blocks` b on b.digest = unhex(requested.digest) where b.uses = 0;
      end if;
      select good as allowed, used as known;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('register_blocks', 1);

-- functions open_session 3
create or replace procedure `sallyport`.`open_session_from` (new_digest binary(32), new_mode varchar(16), app_key varchar(64), user_number bigint, names longtext, device text,
    idle double, lifetime double, ahead double, version_of_secret integer, all_limit bigint, user_limit bigint,
    opened_by_account char(36), version_of_account integer, opened_by_link varchar(512), born_of_link bigint,
    device_limit bigint, limits longtext, basis longtext, client_address varchar(64))
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare lock_row integer;
      declare beside bigint;
      declare remaining bigint default device_limit;
      declare staying bigint;
      if basis is not null then
        call `require_basis`(basis, ahead);
      end if;
      if all_limit > 0 then
        select number into lock_row from `session_lock_rows` where number = -1 for update;
      end if;
      if user_limit > 0 or device is not null then
        select number into lock_row from `session_lock_rows` where number = user_number % 256 for update;
      end if;
      if user_limit > 0 then
        select count(*) into beside from `sessions` where user_id = user_number and expires_at > clock and not (user_id <=> user_number and app_key_id <=> app_key and device_id <=> device and device is not null);
        set remaining = least(remaining, user_limit - beside);
      end if;
      if all_limit > 0 then
        select count(*) into beside from (select 1 from `sessions` where expires_at > clock and not (user_id <=> user_number and app_key_id <=> app_key and device_id <=> device and device is not null) limit all_limit) live;
        set remaining = least(remaining, all_limit - beside);
      end if;
      if device is not null then
        set staying = greatest(remaining - 1, 0);
        for old in (
          select digest from `sessions` where user_id = user_number and app_key_id = app_key and device_id = device
          order by expires_at desc, opened_at desc, digest limit staying, 1000000
        ) do
          delete from `sessions` where digest = old.digest;
        end for;
      end if;
      if limits is not null then
        call `take_seats`(limits, user_number, device, clock);
      end if;
      if remaining < 1 then
        signal sqlstate 'SP315' set message_text = 'There are as many sessions as allowed.';
      end if;
      insert into `sessions` (digest, mode, app_key_id, user_id, secret_version, app_names, reserved_names, enrolling, device_id, opened_at, expires_at, ends_at,
        custom_account, custom_version, link_id, link_born, address)
      values (new_digest, new_mode, app_key, user_number, version_of_secret, names, '[]', json_length(names) = 0, device, clock, (clock + interval (least(idle, lifetime)) * 1000 microsecond), (clock + interval (lifetime) * 1000 microsecond),
        opened_by_account, version_of_account, opened_by_link, born_of_link, client_address);
      insert into `session_names` (app_name, session) select distinct value, new_digest from json_table(names, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed;
      update `session_counts` set opened = opened + 1 where shard = connection_id() % 64;
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`open_session` (new_digest binary(32), new_mode varchar(16), app_key varchar(64), user_number bigint, names longtext, device text,
    idle double, lifetime double, ahead double, version_of_secret integer, all_limit bigint, user_limit bigint,
    opened_by_account char(36), version_of_account integer, opened_by_link varchar(512), born_of_link bigint,
    device_limit bigint, limits longtext)
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
      call `open_session_from`(new_digest, new_mode, app_key, user_number, names, device, idle, lifetime, ahead, version_of_secret, all_limit,
        user_limit, opened_by_account, version_of_account, opened_by_link, born_of_link, device_limit, limits, null, null);
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`take_seats` (limits longtext, new_user bigint, new_device varchar(600), clock datetime(6))
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
      declare bound bigint;
      declare holders bigint;
      declare shared bigint;
      declare opened_before bigint;
      for listed in (
        select name, seats, kind from json_table(limits, '$[*]' columns (
          name varchar(512) path '$.name', seats bigint path '$.seats', kind varchar(16) path '$.kind'
        )) limited order by name
      ) do
        insert into `seat_counts` (app_name, kind, taken, opened) values (listed.name, listed.kind, null, 0)
        on duplicate key update taken = if(kind = value(kind), taken, null), kind = value(kind);
        select taken - opened + (select sum(opened) from `session_counts`) into bound from `seat_counts` where app_name = listed.name;
        if bound is null or bound >= listed.seats then
          select count(*) into shared from (
            select 1 from `session_names` n join `sessions` s on s.digest = n.session where n.app_name = listed.name and s.expires_at > clock and (listed.kind = 'device' or s.user_id = new_user) and (listed.kind = 'user' or s.device_id = new_device) limit 1
          ) sharing;
          if shared = 0 then
            select count(*), (select sum(opened) from `session_counts`) into holders, opened_before from (select distinct if(listed.kind <> 'device' or s.device_id is null, s.user_id, null) as user, if(listed.kind <> 'user', s.device_id, null) as device,
              if(listed.kind <> 'user' and s.device_id is null, s.digest, null) as session from `session_names` n join `sessions` s on s.digest = n.session where n.app_name = listed.name and s.expires_at > clock) holding;
            if holders >= listed.seats then
              signal sqlstate 'SP306' set message_text = 'No seat of the app name is free.';
            end if;
            update `seat_counts` set taken = holders, opened = opened_before where app_name = listed.name;
          end if;
        end if;
      end for;
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`change_app_names` (changed binary(32), reserve longtext, limits longtext, released longtext, ahead double)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare holder_user bigint;
      declare holder_device varchar(600);
      declare new_names json;
      select user_id, device_id into holder_user, holder_device
      from `sessions` where digest = changed and expires_at > clock for update;
      if holder_user is null then
        select 'ended' as outcome;
        leave work;
      end if;
      if released is not null then
        if exists (
          select 1 from json_table(released, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) wanted
          where value not in (select app_name from `session_names` where session = changed)
        ) then
          select 'notHeld' as outcome;
          leave work;
        end if;
        delete from `session_names` where session = changed and app_name in (select value from json_table(released, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed);
        update `sessions` set app_names = (select coalesce(json_arrayagg(value), '[]') from json_table(app_names, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) kept where value not in (select value from json_table(released, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed)), reserved_names = (select coalesce(json_arrayagg(value), '[]') from json_table(reserved_names, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) kept where value not in (select value from json_table(released, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed)) where digest = changed;
        select 'changed' as outcome;
        leave work;
      end if;
      select json_arrayagg(value) into new_names from (select distinct value from json_table(reserve, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed) wanted
      where value not in (select app_name from `session_names` where session = changed);
      if new_names is not null then
        call `take_seats`(
          (select coalesce(json_arrayagg(json_object('name', name, 'seats', seats, 'kind', kind)), '[]') from json_table(limits, '$[*]' columns (
            name varchar(512) path '$.name', seats bigint path '$.seats', kind varchar(16) path '$.kind'
          )) limited where name in (select value from json_table(new_names, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed)),
          holder_user, holder_device, clock
        );
        insert into `session_names` (app_name, session) select value, changed from json_table(new_names, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed;
        update `sessions` set reserved_names = json_merge_preserve(reserved_names, new_names) where digest = changed;
        update `session_counts` set opened = opened + 1 where shard = connection_id() % 64;
      end if;
      select 'changed' as outcome;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('open_session', 3);

-- functions open_on_basis 2
insert ignore into `sallyport`.`session_lock_rows` (number) values (-2);
create or replace procedure `sallyport`.`require_basis` (basis longtext, ahead double)
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
      declare lock_row integer;
      declare changed integer;
      select number into lock_row from `session_lock_rows` where number = -2 lock in share mode;
      select count(*) into changed from json_table(basis, '$[*]' columns (
        kind varchar(32) character set utf8mb4 collate utf8mb4_nopad_bin path '$.kind',
        id varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin path '$.id',
        version bigint path '$.version'
      )) expected
      where expected.version <> coalesce((
        select r.version from `records` r where r.kind = expected.kind and r.id = expected.id
          and r.expires_at > (now(6) + interval (ahead) * 1000 microsecond)
      ), 0);
      if changed > 0 then
        signal sqlstate 'SP318' set message_text = 'A record that the session depends on has changed.';
      end if;
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`open_on_basis` (basis longtext, new_digest binary(32), new_mode varchar(16), app_key varchar(64), user_number bigint, names longtext, device text,
    idle double, lifetime double, ahead double, version_of_secret integer, all_limit bigint, user_limit bigint,
    opened_by_account char(36), version_of_account integer, opened_by_link varchar(512), born_of_link bigint,
    device_limit bigint, limits longtext)
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
      call `open_session_from`(new_digest, new_mode, app_key, user_number, names, device, idle, lifetime, ahead, version_of_secret, all_limit,
        user_limit, opened_by_account, version_of_account, opened_by_link, born_of_link, device_limit, limits, basis, null);
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`change_on_basis` (basis longtext, changed binary(32), reserve longtext, limits longtext, released longtext, ahead double)
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
      if basis is not null then
        call `require_basis`(basis, ahead);
      end if;
      call `change_app_names`(changed, reserve, limits, released, ahead);
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('open_on_basis', 2);

-- functions put_record 2
create or replace procedure `sallyport`.`put_record` (record_kind varchar(32), record_id varchar(512), record_owner varchar(200), record_value longtext, lifetime double, ahead double, if_version bigint,
    owner_limit bigint, all_limit bigint)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare ends datetime(6) default coalesce((clock + interval (lifetime) * 1000 microsecond), timestamp '9999-12-31 23:59:59');
      declare lock_row integer;
      declare existing bigint;
      declare present bigint;
      declare living boolean;
      declare new_version bigint;
      if owner_limit > 0 then
        select count(*) into existing from (
          select 1 from `records` force index (records_owner) where owner = record_owner and kind = record_kind and expires_at > clock limit owner_limit
        ) counted;
        if existing + @@max_connections < owner_limit then
          select number into lock_row from `record_lock_rows` where number = crc32(concat(record_kind, ' ', record_owner)) % 256 lock in share mode;
          select count(*) into existing from (
          select 1 from `records` force index (records_owner) where owner = record_owner and kind = record_kind and expires_at > clock limit owner_limit
        ) counted;
          if not (existing + @@max_connections < owner_limit) then
            signal sqlstate '40001' set mysql_errno = 1213, message_text = 'The room for records has become smaller.';
          end if;
        else
          select number into lock_row from `record_lock_rows` where number = crc32(concat(record_kind, ' ', record_owner)) % 256 for update;
          select count(*) into existing from (
          select 1 from `records` force index (records_owner) where owner = record_owner and kind = record_kind and expires_at > clock limit owner_limit
        ) counted;
          if existing >= owner_limit then
            select if(count(*) = 0, 'ownerFull', 'exists') as outcome from `records` where kind = record_kind and id = record_id and expires_at > clock;
            leave work;
          end if;
        end if;
      end if;
      if all_limit > 0 then
        select count(*) into existing from (
          select 1 from `records` force index (records_kind_expiry) where kind = record_kind and expires_at > clock limit all_limit
        ) counted;
        if existing + @@max_connections < all_limit then
          select number into lock_row from `record_lock_rows` where number = -1 lock in share mode;
          select count(*) into existing from (
          select 1 from `records` force index (records_kind_expiry) where kind = record_kind and expires_at > clock limit all_limit
        ) counted;
          if not (existing + @@max_connections < all_limit) then
            signal sqlstate '40001' set mysql_errno = 1213, message_text = 'The room for records has become smaller.';
          end if;
        else
          select number into lock_row from `record_lock_rows` where number = -1 for update;
          select count(*) into existing from (
          select 1 from `records` force index (records_kind_expiry) where kind = record_kind and expires_at > clock limit all_limit
        ) counted;
          if existing >= all_limit then
            select if(count(*) = 0, 'full', 'exists') as outcome from `records` where kind = record_kind and id = record_id and expires_at > clock;
            leave work;
          end if;
        end if;
      end if;
      if coalesce(if_version, 0) = 0 then
        set new_version = nextval(`record_versions`);
        insert into `records` (kind, id, owner, value, version, born, created_at, expires_at)
        values (record_kind, record_id, record_owner, record_value, new_version, new_version, clock, ends)
        on duplicate key update claims = claims;
      end if;
      select version, expires_at > clock into present, living from `records` where kind = record_kind and id = record_id for update;
      if present = new_version then
        select 'stored' as outcome;
      elseif living and if_version = 0 then
        select 'exists' as outcome;
      elseif if_version > 0 and (living is not true or present <> if_version) then
        select 'stale' as outcome;
      else
        set new_version = nextval(`record_versions`);
        update `records` set owner = record_owner, value = record_value, version = new_version, expires_at = ends, due_at = null, claims = 0,
          born = if(living, born, new_version), created_at = if(living, created_at, clock)
        where kind = record_kind and id = record_id;
        select 'stored' as outcome;
      end if;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('put_record', 2);

-- functions remove_accounts 1
create or replace procedure `sallyport`.`remove_accounts` (users longtext, subjects longtext, customs longtext)
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
      declare administrators, removed_count bigint;
      if exists (select 1 from `accounts` where user_id in (select number from json_table(users, '$[*]' columns (number bigint path '$')) listed) and administrator and not disabled) then
        select count(*) into administrators from `accounts` where administrator for update;
        if not exists (select 1 from `accounts` where administrator and not disabled and user_id not in (select number from json_table(users, '$[*]' columns (number bigint path '$')) listed)) then
          select null as removed;
          leave work;
        end if;
      end if;
      delete from `accounts` where user_id in (select number from json_table(users, '$[*]' columns (number bigint path '$')) listed);
      set removed_count = row_count();
      delete t from `records` t join (select value collate utf8mb4_nopad_bin as subject from (select value from json_table(subjects, '$[*]' columns (value varchar(200) path '$')) named) named union all select concat('link:', json_value(l.value, '$.id')) from (select value from json_table(subjects, '$[*]' columns (value varchar(200) path '$')) named) u join `records` l on l.owner = u.value collate utf8mb4_nopad_bin and l.kind = 'identityLink' union all select concat('custom:', c.id) from (select number from json_table(users, '$[*]' columns (number bigint path '$')) listed) u join `custom_accounts` c on c.user_id = u.number) o on o.subject = t.owner;
      delete c from `custom_accounts` c join (select id from json_table(customs, '$[*]' columns (id char(36) path '$')) chosen) n on n.id collate utf8mb4_nopad_bin = c.id;
      set removed_count = removed_count + row_count();
      delete t from `custom_accounts` t join (select number from json_table(users, '$[*]' columns (number bigint path '$')) listed) u on u.number = t.user_id;
      select removed_count as removed;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('remove_accounts', 1);

-- functions throttle 2
insert ignore into `sallyport`.`session_lock_rows` (number) values (256), (257), (258), (259), (260), (261), (262), (263), (264), (265), (266), (267), (268), (269), (270), (271), (272), (273), (274), (275), (276), (277), (278), (279), (280), (281), (282), (283), (284), (285), (286), (287), (288), (289), (290), (291), (292), (293), (294), (295), (296), (297), (298), (299), (300), (301), (302), (303), (304), (305), (306), (307), (308), (309), (310), (311), (312), (313), (314), (315), (316), (317), (318), (319);
create or replace procedure `sallyport`.`attempt_throttle` (requested longtext, ahead double)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare wait bigint;
      declare max_wait bigint;
      declare found bigint;
      declare exempt_keys longtext;
      select coalesce(max(greatest(0, ceil(timestampdiff(microsecond, clock, (t.delayed_at + interval (if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))) * 1000 microsecond)) / 1000))), 0), count(*) into max_wait, found from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a straight_join `throttle` t on t.`key` = a.`key` and t.forget_at > clock and if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30)))) > 0 for update;
      if found = 0 then
        select 0 as wait, false as reserved;
        leave work;
      end if;
      select json_arrayagg(a.`key`) into exempt_keys from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a join `throttle` e on e.`key` = a.exemption and e.forget_at > clock;
      select coalesce(max(greatest(0, ceil(timestampdiff(microsecond, clock, (t.delayed_at + interval (if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))) * 1000 microsecond)) / 1000))), 0), count(*) into wait, found from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a straight_join `throttle` t on t.`key` = a.`key` and t.forget_at > clock and if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30)))) > 0 and not coalesce(json_contains(exempt_keys, json_quote(a.`key`)), false) for update;
      if wait = 0 and found > 0 then
        update json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a straight_join `throttle` t on t.`key` = a.`key` and t.forget_at > clock and if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30)))) > 0 and not coalesce(json_contains(exempt_keys, json_quote(a.`key`)), false) set t.delayed_at = clock;
      end if;
      select if(wait > 0, max_wait, 0) as wait, wait = 0 and found > 0 as reserved;
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`fail_throttle` (requested longtext, ahead double)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare exempt_wait bigint;
      declare exempt_keys longtext;
      for expired in (select `key` from `throttle` where forget_at <= clock order by forget_at limit 10) do
        for lockable in (select `key` from `throttle` where `key` = expired.`key` and forget_at <= clock for update skip locked) do
          delete from `throttle` where `key` = lockable.`key`;
        end for;
      end for;
      select json_arrayagg(a.`key`), coalesce(max(greatest(0, ceil(timestampdiff(microsecond, clock, (t.delayed_at + interval (if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))) * 1000 microsecond)) / 1000))), 0) into exempt_keys, exempt_wait
      from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a straight_join `throttle` t on t.`key` = a.`key` and t.forget_at > clock and if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30)))) > 0 and (t.delayed_at + interval (if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))) * 1000 microsecond) > clock join `throttle` e on e.`key` = a.exemption and e.forget_at > clock;
      insert into `throttle` (`key`, failures, delayed_at, forget_at)
      select a.`key`, 1, clock, (clock + interval (a.reset_after) * 1000 microsecond) from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a where not coalesce(json_contains(exempt_keys, json_quote(a.`key`)), false)
      on duplicate key update
        failures = if(forget_at > clock, failures + 1, 1),
        delayed_at = value(delayed_at),
        forget_at = value(forget_at);
      select greatest(exempt_wait, coalesce(max(if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))), 0)) as wait from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a join `throttle` t on t.`key` = a.`key` and not coalesce(json_contains(exempt_keys, json_quote(a.`key`)), false);
    end work;
    if alone then commit; end if;
  end;
create or replace procedure `sallyport`.`pass_throttle` (all_keys longtext, requested longtext, reset_keys longtext, ahead double,
    granted varchar(100), granted_group varchar(100), at_most integer, lifetime double, renewal double)
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
      declare clock datetime(6) default (now(6) + interval (ahead) * 1000 microsecond);
      declare found bigint;
      declare exempted bigint;
      declare exempt_until datetime(6);
      declare lock_row integer;
      declare is_first boolean;
      select count(*) into found from json_table(all_keys, '$[*]' columns (`key` varchar(100) path '$')) n straight_join `throttle` t on t.`key` = n.`key` for update;
      if found > 0 then
        select count(*), count(e.`key`) into found, exempted
        from json_table(requested, '$[*]' columns (
        `key` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a join `throttle` t on t.`key` = a.`key` left join `throttle` e on e.`key` = a.exemption and e.forget_at > clock
        where t.forget_at > clock and t.failures >= a.max_failures and t.delayed_at > (clock - interval (if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))) * 1000 microsecond);
        if found > exempted then
          signal sqlstate 'SP302' set message_text = 'A delay runs.';
        end if;
        delete t from json_table(reset_keys, '$[*]' columns (`key` varchar(100) path '$')) n straight_join `throttle` t on t.`key` = n.`key`;
      end if;
      if granted is null then
        leave work;
      end if;
      select max(forget_at) into exempt_until from `throttle` where `key` = granted;
      set is_first = exempt_until is null;
      if is_first then
        select number into lock_row from `session_lock_rows` where number = 256 + crc32(granted) % 64 for update;
        select max(forget_at) into exempt_until from `throttle` where `key` = granted;
      end if;
      if exempt_until >= (clock + interval (lifetime - renewal) * 1000 microsecond) then
        leave work;
      end if;
      insert into `throttle` (`key`, failures, delayed_at, forget_at) values (granted, 0, clock, (clock + interval (lifetime) * 1000 microsecond))
      on duplicate key update delayed_at = value(delayed_at), forget_at = value(forget_at);
      if is_first then
        for surplus in (
          select `key` from `throttle` where `key` > granted_group and `key` < concat(granted_group, '~')
          order by forget_at desc, `key` limit at_most, 1000000
        ) do
          for lockable in (select `key` from `throttle` where `key` = surplus.`key` for update skip locked) do
            delete from `throttle` where `key` = lockable.`key`;
          end for;
        end for;
      end if;
    end work;
    if alone then commit; end if;
  end;
insert into `sallyport`.`migrations` (name, number) values ('throttle', 2);
