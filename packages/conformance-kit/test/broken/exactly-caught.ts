/** A fault that adapters are known for, and all checks of its sections that it breaks. */
export interface ExactlyCaught {
  readonly fault: string;
  readonly sections: readonly string[];
  readonly checks: readonly string[];
}

export const exactlyCaught: readonly ExactlyCaught[] = [
  {
    fault: "looks at the version before it writes",
    sections: ["objects"],
    checks: [
      "are refused with 304 when they are not visible to the one who writes, all or nothing",
      "are changed by one of those who expect the same version at once",
    ],
  },
  {
    fault: "stores whatever secret comes last",
    sections: ["accounts"],
    checks: [
      "leaves a secret alone whose version is not the one expected",
      "stores one secret of those that replace the same version at once",
    ],
  },
  {
    fault: "shows the work of an open transaction to everybody",
    sections: ["transactions"],
    checks: ["do not show their work to others before it is kept"],
  },
  {
    fault: "keeps the work of a transaction that fails",
    sections: ["transactions"],
    checks: [
      "keep nothing of their work if it throws",
      "do not show their work to others before it is kept",
      "leave nothing behind for those that follow, however many fail",
      "run side by side, each whole",
    ],
  },
  {
    fault: "keeps the work and runs it again",
    sections: ["transactions"],
    checks: [
      "keep all of their work and hand on its result",
      "go on after an outcome that is no error",
      "run side by side, each whole",
      "lose no change of those that count up one value at once",
      "that block one another are run again, without doing anything twice",
    ],
  },
  {
    fault: "loses a connection with every transaction that fails",
    sections: ["transactions"],
    checks: ["leave nothing behind for those that follow, however many fail", "run side by side, each whole"],
  },
  {
    fault: "takes parts for nothing of their own",
    sections: ["parts of transactions"],
    checks: [
      "leave nothing of what they wrote if they throw, and the transaction goes on",
      "can be done again as if they had never been",
      "let their errors out unchanged",
      "nest, and each is undone by itself",
      "are undone with the one that they are parts of",
      "follow one another as often as wanted",
      "leave nothing behind when a call of theirs is refused, whichever it is",
      "are told among the changes once, if they are kept",
    ],
  },
  {
    fault: "undoes no part within another one",
    sections: ["parts of transactions"],
    checks: ["nest, and each is undone by itself"],
  },
  {
    fault: "keeps what a part did before a call of it was refused",
    sections: ["parts of transactions"],
    checks: [
      "let their errors out unchanged",
      "leave nothing behind when a call of theirs is refused, whichever it is",
    ],
  },
  {
    fault: "wraps the errors of parts",
    sections: ["parts of transactions"],
    checks: [
      "let their errors out unchanged",
      "follow one another as often as wanted",
      "leave nothing behind when a call of theirs is refused, whichever it is",
      "let the errors of calls out as they are",
    ],
  },
  {
    fault: "keeps the parts of a transaction that fails",
    sections: ["parts of transactions", "transactions"],
    checks: [
      "are undone with a transaction that fails after them",
      "do not show their work to others before the transaction is kept",
    ],
  },
  {
    fault: "keeps what is asked for together one by one",
    sections: ["calls together"],
    checks: [
      "are undone when one is refused, whichever it is",
      "are undone also when the work does not mind the refusal",
      "are not asked for later",
      "keep a limit exactly when many come at once, and leave nothing behind of the others",
    ],
  },
  {
    fault: "lets the driver's error out",
    sections: ["objects"],
    checks: [
      "are refused with 307 when their UUID is in use, all or nothing",
      "are refused with 307 when two of them want one UUID",
      "are created once when several with one UUID are created at once",
      "are not written under a model that is no longer current, nor under one that is not yet",
      "are refused with 307 links to nothing, all or nothing",
      "are not created with 801 when they are too large, all or nothing",
    ],
  },
  {
    fault: "counts one less",
    sections: ["objects"],
    checks: [
      "have ids and UUIDs of their own when they are created at once",
      "are created once when several with one UUID are created at once",
      "are listed by exactly the classes asked for",
      "are listed once though their class is asked for twice",
      "are read in large numbers",
      "are counted as far as they are visible",
      "take hostile names of classes and principals for what they are",
      "are changed in the attributes that are set, and in no other",
      "are seen by their new readers at once, and by no one else",
      "are counted rightly while readers come and go, at once and in transactions that are taken back",
      "keep their readers when the change is refused, all or nothing",
    ],
  },
  {
    fault: "begins later pages one too late",
    sections: ["objects"],
    checks: [
      "are listed in pages that fit together without gap or overlap",
      "are none on a page beyond the end or without a length",
      "leave no gaps in pages where they are not visible",
      "are not listed when the page takes more bytes than wanted",
      "are not listed far from the beginning when the page takes more bytes than wanted",
    ],
  },
  {
    fault: "begins an ordered page one too late",
    sections: ["queries"],
    checks: [
      "order in pages that fit together without gap or overlap",
      "tell positions of what is visible, and of nothing else",
    ],
  },
  {
    fault: "repeats the object of the position",
    sections: ["queries"],
    checks: [
      "go on behind a position without gap or overlap",
      "go on behind a position though its object is no longer there",
    ],
  },
  {
    fault: "compares texts as a dictionary does",
    sections: ["queries"],
    checks: ["compare texts by code points", "compare long texts to their end"],
  },
  {
    fault: "orders as a dictionary does",
    sections: ["queries"],
    checks: [
      "order texts by code points",
      "order missing and null before all texts",
      "order long texts to their end",
      "order in pages that fit together without gap or overlap",
      "go on behind a position without gap or overlap",
      "order by what is visible, and by nothing else",
      "tell positions of what is visible, and of nothing else",
    ],
  },
  { fault: "compares numbers as texts", sections: ["queries"], checks: ["compare numbers"] },
  {
    fault: "takes null for missing",
    sections: ["queries"],
    checks: [
      "tell texts apart",
      "tell long texts apart",
      "tell numbers apart",
      "tell true and false apart",
      "tell dates apart",
      "tell JSON apart, but not by the order of members",
      "know which collections are empty",
      "know that meta-fields are always there",
      "take references that lead nowhere for empty",
    ],
  },
  {
    fault: "takes null for absent",
    sections: ["objects"],
    checks: [
      "tell empty, null and absent apart",
      "are not written under a model that is no longer current, nor under one that is not yet",
      "are created with links to objects that are there",
    ],
  },
  {
    fault: "takes stamps from a plain sequence",
    sections: ["changes"],
    checks: [
      "never appear below what was read, though another transaction is still open",
      "lose nothing and repeat nothing for who follows writers at work",
    ],
  },
  {
    fault: "tells of what was taken back",
    sections: ["changes"],
    checks: [
      "of what is taken back never show, and hold nobody up",
      "lose nothing and repeat nothing for who follows writers at work",
    ],
  },
  {
    fault: "tells the process's time",
    sections: ["time"],
    checks: [
      "moves with the offset of the clock",
      "is the same for everything that is stored",
      "is that of the moment inside transactions, too",
    ],
  },
  {
    fault: "takes claims at once for one",
    sections: ["channels"],
    checks: [
      "let one client win of those who bring the same blocks at once",
      "count every use of those at once",
      "give messages that share blocks to one client whole, never in parts",
    ],
  },
  {
    fault: "reserves the same for all who ask at once",
    sections: ["channels"],
    checks: ["reserve 10,000 numbers for four who take them at once, none twice"],
  },
  {
    fault: "accepts the number of a message that another one has accepted",
    sections: ["several processes"],
    checks: ["give out every number of a channel once, and accept it once, together"],
  },
  {
    fault: "reads how many there are, then writes",
    sections: ["sessions"],
    checks: [
      "fill the last place once when many want it at once",
      "fill every place once when many want them at once",
      "fill the places of several users and of the database exactly at once",
      "fill the places that are given back at the same time, no more",
      "stay exactly limited after all that can happen to them",
      "replace without taking room under a limit",
      "of a device make room under a full limit, those of others do not",
      "of a device fill a limit exactly when others want its places at once",
      "of a device are replaced whatever the two ways in",
    ],
  },
  {
    fault: "marks a session as ended and ends it later",
    sections: ["admission"],
    checks: ["accepts no session that was ended, from the very next request"],
  },
  {
    fault: "looks before it takes",
    sections: ["locks"],
    checks: ["are taken by one of those who want them at once"],
  },
  {
    fault: "lets writes without a session through",
    sections: ["locks"],
    checks: ["refuse writes of other sessions and of none with 713, all or nothing"],
  },
  {
    fault: "looks for a free name, then takes it",
    sections: ["app keys"],
    checks: [
      "refuses a digest that is taken, and changes nothing",
      "creates one app key of those that want one name at once",
    ],
  },
  {
    fault: "removes the last administrator",
    sections: ["accounts"],
    checks: [
      "does not remove the last administrator who is not disabled",
      "removes the accounts of a database that has no administrator",
      "leaves an administrator when two remove one another at once",
      "removes nothing of what belongs to the last administrator",
    ],
  },
  {
    fault: "takes codes that come at once for one",
    sections: ["custom accounts"],
    checks: [
      "never exceed the tries, however many try at once",
      "are confirmed by one of those who have the code at once",
    ],
  },
  {
    fault: "does not count wrong codes",
    sections: ["custom accounts"],
    checks: ["refuse the code when its tries are used up", "never exceed the tries, however many try at once"],
  },
  {
    fault: "never takes an index away",
    sections: ["indexes"],
    checks: ["are taken away when they are not wanted any more", "stay when they are wanted again"],
  },
  {
    fault: "looks at the version of a macro, then stores",
    sections: ["macros"],
    checks: [
      "are stored by one of those who expect the same version at once",
      "are changed after those who change them in a transaction",
    ],
  },
  {
    fault: "counts versions anew after a removal",
    sections: ["macros"],
    checks: ["are gone when they were removed, and their history is not"],
  },
  {
    fault: "does not count removals",
    sections: ["macros", "admission"],
    checks: [
      "raise the generation by one with each change, which admission shows",
      "are removed by one of those who remove them at once",
      "are changed by transactions as a whole, or not at all",
    ],
  },
  {
    fault: "reads the generation, then the macros",
    sections: ["macros"],
    checks: ["are loaded with the generation as of one moment"],
  },
  {
    fault: "keeps macros of transactions that fail",
    sections: ["macros"],
    checks: [
      "are changed by transactions as a whole, or not at all",
      "are changed after those who change them in a transaction",
    ],
  },
  {
    fault: "carries the macros that are there",
    sections: ["archive"],
    checks: [
      "holds macros with everything that they were, in the order in which they were changed",
      "is the same when it was imported and is exported again",
      "is one at a time",
    ],
  },
  {
    fault: "remembers the macros that it has loaded",
    sections: ["macros"],
    checks: [
      "raise the generation by one with each change, which admission shows",
      "are changed by transactions as a whole, or not at all",
      "of several processes are the same",
    ],
  },
  {
    fault: "goes on after it is closed",
    sections: ["lifecycle"],
    checks: [
      "can be closed without ever being migrated",
      "answers 706 to every call after it is closed",
      "can be closed twice, one after the other and at once",
      "lets what runs come to its end before it is closed",
      "refuses with 706 as soon as closing has begun",
    ],
  },
  {
    fault: "does not wait for what runs",
    sections: ["lifecycle"],
    checks: ["lets what runs come to its end before it is closed"],
  },
  {
    fault: "remembers whom it has admitted",
    sections: ["several processes"],
    checks: [
      "accept no session that another one has ended, from the very next request",
      "see at once what another one has switched",
    ],
  },
  {
    fault: "keeps locks to itself",
    sections: ["several processes"],
    checks: ["change one version of an object once, and lock it once, together"],
  },
  { fault: "has a clock of its own", sections: ["several processes"], checks: ["share one clock"] },
  {
    fault: "keeps nothing, but declares to be durable",
    sections: ["durability"],
    checks: [
      "is healthy when it is opened again, without another migration",
      "keeps everything that was answered",
      "goes on with its numbers",
    ],
  },
  { fault: "leaves a capability out", sections: ["capabilities"], checks: ["are declared, each of them"] },
];
