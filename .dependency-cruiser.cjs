/**
 * Which room may import which (CONTRIBUTING.md, "Import directions"). Type imports count like any other: a file that
 * names a type depends on it. A room may import itself and the rooms that it lists, and these stand above it in the table: so
 * there is no circle between rooms, and the configuration refuses to load when the table has one.
 */
const EVERYWHERE = [
  ...['isolation', 'fhir', 'fhir/fhirpath', 'fhir/validate', 'fhir/content', 'fhir/xml', 'fhir/patch'],
]

/** From the bottom up. A room is a folder of src, or a file; a folder's own folders are rooms where they are listed. */
const ROOMS = {
  // The cost of work, the queue in which clinics share threads, the threads, and the loop of background work.
  isolation: [],
  fhir: ['isolation'],
  'fhir/fhirpath': ['isolation', 'fhir'],
  'fhir/validate': ['isolation', 'fhir', 'fhir/fhirpath'],
  // How the text of a resource names the content that is kept beside it, and what its bytes look like.
  'fhir/content': ['isolation', 'fhir'],
  'fhir/xml': ['isolation', 'fhir', 'fhir/fhirpath', 'fhir/validate'],
  'fhir/patch': ['isolation', 'fhir', 'fhir/fhirpath', 'fhir/content', 'fhir/xml'],
  // Who is who: pure rules, and the keys by which candidates are found.
  matching: [],
  // A query becomes a plan; a resource becomes index entries.
  search: [],
  'search/types': ['search'],
  'search/index': ['search', 'search/types', 'matching'],
  'search/query': ['search', 'search/types', 'search/index'],
  // The port, and an engine in each folder; engines know no FHIR rule and never each other.
  storage: ['search'],
  'storage/index': ['search', 'storage'],
  'storage/sqlite': ['search', 'storage', 'storage/index'],
  'storage/mongo': ['search', 'storage', 'storage/index'],
  // Units of work over the port.
  repository: ['search', 'search/index', 'storage', 'storage/index'],
  // Bytes beside the resources: received, kept once, read, collected.
  content: ['storage', 'repository'],
  // Pure rules: they work on what they are given.
  scheduling: ['search'],
  terminology: [],
  profiles: ['terminology'],
  clinics: ['repository'],
  config: ['clinics'],
  // Who did what, and what was sent and answered: how it is kept and read.
  record: ['storage'],
  'record/audit': ['search', 'search/index', 'storage', 'repository', 'record'],
  'record/journal': ['storage', 'repository', 'clinics', 'record'],
  // What providers, operations and calls all need.
  core: [
    ...['search', 'search/query', 'matching', 'repository', 'content', 'record/audit', 'clinics'],
    ...['terminology', 'profiles'],
  ],
  // Work that is longer than a request.
  jobs: ['search', 'search/query', 'repository', 'content', 'record/audit', 'clinics', 'core'],
  // Whose time visits reserve, and which Slots are not free for it.
  reservations: ['search', 'repository', 'core', 'scheduling'],
  // Slots that are kept generated from the working hours of Schedules.
  availability: ['repository', 'clinics', 'core', 'scheduling', 'reservations'],
  // What an appointment does to its slots: found, held, booked, moved and freed within one change.
  booking: ['search', 'repository', 'clinics', 'core', 'scheduling', 'reservations', 'availability'],
  // What documents are held to: pure rules, and what they need to know.
  documents: ['search', 'repository', 'content', 'clinics', 'core'],
  // Whom one names to decide what happens.
  'rehearsal/magic': [],
  integrations: ['repository', 'clinics', 'core', 'record/journal', 'rehearsal/magic'],
  // Who is told of what has changed: changes, the Subscriptions that they are events of, and notifications.
  events: ['search', 'search/index', 'search/query', 'repository', 'clinics', 'core', 'integrations'],
  operations: [
    ...['search', 'search/index', 'search/query', 'repository', 'content', 'clinics', 'core'],
    ...['terminology', 'profiles', 'matching', 'jobs', 'scheduling', 'reservations', 'availability', 'booking'],
    'events',
  ],
  'operations/terminology': ['repository', 'core', 'terminology', 'operations'],
  'operations/merge': ['search', 'search/query', 'repository', 'clinics', 'core', 'matching', 'operations'],
  'operations/everything': ['search', 'search/index', 'search/query', 'repository', 'core', 'operations'],
  // What callers say, as values.
  spoken: ['repository', 'clinics', 'core', 'matching', 'scheduling'],
  'calls/record': ['search', 'matching', 'repository', 'clinics', 'core', 'integrations', 'spoken'],
  'calls/session': [
    ...['search', 'repository', 'clinics', 'core', 'matching', 'scheduling', 'booking', 'spoken', 'calls/record'],
  ],
  'calls/visits': [
    ...['search', 'repository', 'clinics', 'core', 'matching', 'scheduling', 'reservations', 'booking', 'spoken'],
    ...['calls/record', 'calls/session'],
  ],
  'calls/recovery': [
    ...['repository', 'clinics', 'core', 'integrations', 'matching', 'spoken', 'calls/record', 'calls/session'],
  ],
  'calls/tools': [
    ...['repository', 'clinics', 'core', 'integrations', 'matching', 'scheduling', 'booking', 'operations', 'spoken'],
    ...['calls/record', 'calls/session', 'calls/visits', 'calls/recovery'],
  ],
  calls: ['repository', 'clinics', 'core', 'operations', 'calls/record', 'calls/session', 'calls/tools'],
  providers: [
    ...['search', 'search/index', 'repository', 'content', 'record/audit', 'clinics', 'core', 'documents'],
    ...['scheduling', 'reservations', 'availability', 'booking', 'events'],
    ...['operations', 'operations/terminology', 'operations/merge', 'operations/everything', 'calls'],
  ],
  capability: [
    ...['search', 'search/query', 'core', 'terminology', 'events'],
    ...['operations', 'operations/terminology', 'providers'],
  ],
  // What goes wrong when somebody rehearses: named, counted, and brought about in the data.
  'rehearsal/faults': [
    ...['repository', 'clinics', 'core', 'reservations', 'scheduling', 'booking', 'rehearsal/magic'],
  ],
  // What a client is judged by, and which of its requests are.
  'rehearsal/plans': ['repository', 'core', 'rehearsal/faults'],
  // The shapes of runs, which those who report on them need.
  'rehearsal/runs/run': ['rehearsal/plans'],
  // What is known of a run, in the forms that others read.
  'rehearsal/reports': ['search', 'repository', 'clinics', 'core', 'rehearsal/plans', 'rehearsal/runs/run'],
  'rehearsal/runs': [
    ...['repository', 'clinics', 'core', 'profiles', 'record/journal', 'rehearsal/faults', 'rehearsal/plans'],
    ...['rehearsal/runs/run', 'rehearsal/reports'],
  ],
  // What an EHR refuses, by the address at which it is asked for.
  'rehearsal/strictness': ['rehearsal/faults'],
  // What is true in a clinic when a rehearsal begins.
  'rehearsal/scenarios': ['clinics', 'core', 'scheduling', 'availability', 'rehearsal/magic', 'rehearsal/faults'],
  // Resets, snapshots and clones: one filling of a clinic's data takes the place of another.
  'rehearsal/generations': [
    ...['storage', 'repository', 'content', 'clinics', 'core', 'rehearsal/scenarios'],
    ...['rehearsal/plans', 'rehearsal/runs', 'rehearsal/reports'],
  ],
  // What is taken out of a clinic as a file, and what is brought in.
  'rehearsal/transfer': ['storage', 'repository', 'content', 'core', 'jobs', 'rehearsal/plans'],
  // What modules of others add.
  extensions: [
    ...['search', 'search/index', 'core', 'events', 'operations', 'calls', 'providers'],
    ...['rehearsal/scenarios', 'rehearsal/strictness'],
  ],
  demo: ['repository', 'clinics', 'core', 'availability', 'rehearsal/scenarios', 'rehearsal/generations'],
  // The transport, whatever is asked: who asks, whether it is taken, bodies, formats, errors. From here on Koa is known.
  http: [
    ...['repository', 'content', 'clinics', 'config', 'record', 'record/audit', 'record/journal'],
    ...['rehearsal/faults', 'rehearsal/runs', 'rehearsal/strictness'],
  ],
  // FHIR's REST API.
  'fhir-api/message': [
    ...['search', 'search/query', 'repository', 'content', 'record/audit', 'config', 'core', 'providers', 'http'],
    'rehearsal/strictness',
  ],
  'fhir-api/interactions': [
    ...['search', 'search/query', 'repository', 'core', 'operations', 'http', 'fhir-api/message'],
  ],
  'fhir-api/bundle': [
    ...['search', 'search/index', 'content', 'record/audit', 'config', 'core', 'documents'],
    ...['http', 'fhir-api/message', 'fhir-api/interactions'],
  ],
  // FHIR for clients of the Model Context Protocol, by requests to the routes.
  'fhir-api/mcp': ['record/audit', 'config', 'http', 'fhir-api/message'],
  'fhir-api': [
    ...[
      'search/query',
      'repository',
      'events',
      'record/audit',
      'record/journal',
      'content',
      'config',
      'core',
      'jobs',
      'capability',
      'rehearsal/faults',
      'rehearsal/strictness',
      'http',
    ],
    ...['fhir-api/message', 'fhir-api/interactions', 'fhir-api/bundle'],
  ],
  // Sessions, accounts, clinics, their calls, connectors, health, the journal, and the files of the dashboard.
  'admin-api': [
    ...[
      'repository',
      'content',
      'clinics',
      'config',
      'record/audit',
      'record/journal',
      'core',
      'jobs',
      'integrations',
      'events',
    ],
    ...['http', 'fhir-api', 'fhir-api/message', 'rehearsal/magic', 'rehearsal/scenarios', 'rehearsal/generations'],
    ...['rehearsal/transfer', 'rehearsal/faults', 'rehearsal/plans', 'rehearsal/runs', 'rehearsal/runs/run'],
    ...['rehearsal/reports', 'rehearsal/strictness'],
  ],
  // Tools, registration of calls, links to go on with.
  'voice-api': [
    ...['repository', 'clinics', 'config', 'record/audit', 'record/journal', 'core', 'spoken', 'demo', 'http'],
    ...['calls', 'calls/session', 'calls/recovery', 'calls/tools', 'rehearsal/faults'],
  ],
}

/** The process, the composition root and the entry point of the package put everything together; no room imports them. */
const ROOT = '^src/(framework|index)\\.ts$|^src/main/'

/** The file or folder in dashboard/parts that loads a heavy library, and its packages. */
const HEAVY = {
  palette: '@mantine/spotlight',
  charts: '@visx',
}

const names = Object.keys(ROOMS)
for (const [index, [room, allowed]] of Object.entries(ROOMS).entries()) {
  const above = allowed.find((one) => names.indexOf(one) === -1 || names.indexOf(one) >= index)
  if (above !== undefined) throw new Error(`${room} may not import ${above}: only a room that stands before it`)
}

/** The rooms of FHIR knowledge list what they need of each other; all other rooms may import them. */
const mayImport = (room, allowed) => (EVERYWHERE.includes(room) ? allowed : [...EVERYWHERE, ...allowed])

/** The files of a room, without those of the rooms within it. */
function filesOf(room) {
  const inner = names.filter((name) => name.startsWith(`${room}/`)).map((name) => name.slice(room.length + 1))
  return `^src/${room}(\\.ts$|/${inner.length === 0 ? '' : `(?!(${inner.join('|')})/)`})`
}

const roomRules = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `${room.replaceAll('/', '-')}-imports`,
  severity: 'error',
  comment: `src/${room} may import ${mayImport(room, allowed).join(', ')} of ours, and nothing else.`,
  from: { path: filesOf(room) },
  to: { path: '^src/', pathNot: [room, ...mayImport(room, allowed)].map(filesOf) },
}))

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'every-file-is-in-a-room',
      severity: 'error',
      comment:
        'A new folder of src gets a line in ROOMS, at its place between the rooms it needs and those that need it.',
      from: { path: '^src/', pathNot: [ROOT, ...names.map(filesOf)] },
      to: {},
    },
    {
      name: 'only-its-engine-knows-mongodb',
      severity: 'error',
      comment: 'The driver of MongoDB is loaded by those who keep their data there.',
      from: { path: '^src/', pathNot: '^src/storage/mongo/' },
      to: { path: '(^|/)node_modules/(mongodb|bson)/' },
    },
    {
      name: 'only-open-store-names-an-engine',
      severity: 'error',
      comment: 'src/main/open-store.ts chooses the engine; no other file knows which one it is.',
      from: { path: '^src/', pathNot: ['^src/main/open-store\\.ts$', '^src/storage/'] },
      to: { path: '^src/storage/(sqlite|mongo)/' },
    },
    {
      name: 'only-the-apis-know-koa',
      severity: 'error',
      comment: 'Everything but src/http and the three APIs works without HTTP.',
      from: { path: '^src/', pathNot: [ROOT, '^src/(http|(fhir|admin|voice)-api)/'] },
      to: { path: '(^|/)node_modules/(koa|koa-[^/]+|@koa/[^/]+|@types/koa[^/]*)/' },
    },
    {
      name: 'config-is-read-by-the-root',
      severity: 'error',
      comment: 'Only the root reads the configuration; the rest is handed what it needs (types are free).',
      from: { path: '^src/', pathNot: [ROOT, '^src/config\\.ts$'] },
      to: { path: '^src/config\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-room-imports-the-root',
      severity: 'error',
      from: { path: '^src/', pathNot: ROOT },
      to: { path: ROOT },
    },
    {
      name: 'examples-use-the-entry-point',
      severity: 'error',
      comment: 'What an example needs, others need: it is exported by src/framework.ts.',
      from: { path: '^examples/' },
      to: { path: '^(src|test|bench|scripts)/', pathNot: '^src/framework\\.ts$' },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      comment: 'The server runs without its tests, benchmarks and scripts.',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'the-dashboard-is-apart',
      severity: 'error',
      comment:
        'The dashboard uses what anybody can use of the server: its documented interfaces. The scripts of calls in examples/ are data.',
      from: { path: '^dashboard/' },
      to: { path: '^(src|test|bench|scripts|examples)/', pathNot: '^examples/[^/]+\\.json$' },
    },
    {
      name: 'only-tests-import-the-dashboard',
      severity: 'error',
      from: { path: '^(src|bench|scripts|examples)/' },
      // `npm run call` and the dashboard save and play the same calls, and `npm run sandbox` reads the same streams,
      // answers and refusals; `npm run dashboard` needs the bundler.
      to: {
        path: '^dashboard/',
        pathNot:
          '^dashboard/(api/(call-script|event-stream|play-call|problem|rehearsal-answers|save-call)|fhir/(bundles|calls)|bundler)\\.ts$',
      },
    },
    {
      name: 'pages-are-strangers',
      severity: 'error',
      comment: 'What two pages need is in dashboard/parts.',
      from: { path: '^dashboard/pages/([^/]+)/' },
      to: { path: '^dashboard/pages/', pathNot: '^dashboard/pages/$1/' },
    },
    {
      name: 'dashboard-fhir-stands-alone',
      severity: 'error',
      from: { path: '^dashboard/fhir/' },
      to: { path: '^dashboard/', pathNot: '^dashboard/fhir/' },
    },
    {
      name: 'dashboard-api-knows-no-component',
      severity: 'error',
      from: { path: '^dashboard/api/' },
      to: { path: '^dashboard/', pathNot: '^dashboard/(api|fhir)/' },
    },
    {
      name: 'dashboard-parts-know-no-page',
      severity: 'error',
      from: { path: '^dashboard/parts/' },
      to: { path: '^dashboard/', pathNot: '^dashboard/(parts|api|fhir)/|^dashboard/page-list\\.ts$' },
    },
    ...Object.entries(HEAVY).map(([owner, packages]) => ({
      name: `only-${owner.replaceAll('/', '-')}-loads-it`,
      severity: 'error',
      comment: 'What is heavy has one owner in the dashboard, so that it is loaded only where it is needed.',
      from: { path: '^dashboard/', pathNot: `^dashboard/parts/${owner}[./]` },
      to: { path: `(^|/)node_modules/(${packages})/` },
    })),
    {
      name: 'no-development-packages-in-src',
      severity: 'error',
      comment: 'What the server imports must be a dependency, not a devDependency (types are free).',
      from: { path: '^(src|dashboard)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Files that import each other, for values or for types, are one file or lack a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'imports-resolve',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(fhir/r4|koa)$', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(resources|capability|data|coverage|\\.runtime)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
}
