/**
 * Which folder may import which (CONTRIBUTING.md, "Import directions"). Type imports count like any other:
 * who names a type depends on it. Only cycles are judged by what exists when the program runs.
 */
const within = (...folders) => `^src/(${folders.join('|')})`

/** Everything in src that `folders` may import, besides themselves; all else in src is an error. */
const only = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: within(...from) },
  to: { path: '^src/', pathNot: within(...from, ...allowed) },
})

module.exports = {
  forbidden: [
    only('fhir-imports-nothing', ['fhir/'], [], 'fhir/ is pure FHIR knowledge and imports nothing of ours.'),
    only('search-imports-fhir', ['search/'], ['fhir/'], 'A search knows FHIR and nothing else.'),
    only(
      'cursors-import-the-port',
      ['storage/cursor\\.ts'],
      ['storage/port\\.ts'],
      'Cursors are the same on every engine.',
    ),
    only(
      'the-index-is-kept-alike',
      ['storage/(composite|index-parts|plan-uses|search-index|indexing)\\.ts'],
      ['storage/port\\.ts', 'search/plan\\.ts'],
      'How far the search index is, and its making, are the same on every engine.',
    ),
    only('port-imports-plan', ['storage/port\\.ts'], ['search/plan\\.ts'], 'The port speaks of plans, not of engines.'),
    only(
      'engines-implement-the-port',
      ['storage/[^/]+/'],
      ['storage/(port|cursor|composite|frozen|index-parts|search-index|indexing)\\.ts', 'search/plan\\.ts', 'fhir/'],
      'An engine knows the port and the plan, no FHIR rule and no other part of the server.',
    ),
    {
      name: 'engines-are-strangers',
      severity: 'error',
      comment: 'One engine never imports another.',
      from: { path: '^src/storage/([^/]+)/' },
      to: { path: '^src/storage/[^/]+/', pathNot: '^src/storage/$1/' },
    },
    only(
      'repository-imports',
      ['repository\\.ts', 'repository/'],
      ['storage/(port|plan-uses)\\.ts', 'search/', 'fhir/'],
      'The repository sits between providers and the store.',
    ),
    only(
      'domain-rules-are-pure',
      ['scheduling/', 'matching/'],
      ['fhir/', 'search/plan\\.ts'],
      'Domain rules know FHIR and plans as data, and no store.',
    ),
    only(
      'terminology-is-pure',
      ['terminology/'],
      ['fhir/'],
      'The rules of terminology work on what they are given; who asks brings what the clinic has stored.',
    ),
    only(
      'profiles-are-pure',
      ['profiles/'],
      ['fhir/', 'terminology/'],
      'The rules of profiles work on what they are given; who asks brings what the clinic has stored.',
    ),
    {
      name: 'only-its-engine-knows-mongodb',
      severity: 'error',
      comment: 'The driver of MongoDB is loaded by those who keep their data there.',
      from: { path: '^src/', pathNot: '^src/storage/mongo/' },
      to: { path: '(^|/)node_modules/(mongodb|bson)/' },
    },
    {
      name: 'only-app-names-an-engine',
      severity: 'error',
      comment: 'src/app.ts chooses the engine; nobody else knows which one it is.',
      from: { path: '^src/', pathNot: ['^src/app\\.ts$', '^src/storage/'] },
      to: { path: '^src/storage/[^/]+/' },
    },
    {
      name: 'port-behind-the-repository',
      severity: 'error',
      comment: 'Only app, clinics, the repository and providers (types only) see the storage port.',
      from: {
        path: '^src/',
        pathNot: ['^src/(app|repository)\\.ts$', '^src/(repository|storage|clinics|providers|integrations)/'],
      },
      to: { path: '^src/storage/port\\.ts$' },
    },
    {
      name: 'providers-only-name-port-types',
      severity: 'error',
      comment: 'Providers, clinics and integrations reach the store through the repository.',
      from: { path: '^src/(providers|clinics|integrations)/' },
      to: { path: '^src/storage/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rest-is-the-edge',
      severity: 'error',
      comment: 'HTTP is served by src/rest; only app and index put it together.',
      from: { path: '^src/', pathNot: ['^src/(app|index)\\.ts$', '^src/rest/'] },
      to: { path: '^src/rest/' },
    },
    {
      name: 'only-rest-knows-koa',
      severity: 'error',
      comment: 'Everything behind src/rest works without HTTP.',
      from: { path: '^src/', pathNot: ['^src/(app|index)\\.ts$', '^src/rest/'] },
      to: { path: '(^|/)node_modules/(koa|koa-[^/]+|@koa/[^/]+|@types/koa[^/]*)/' },
    },
    {
      name: 'config-is-read-by-the-root',
      severity: 'error',
      comment: 'Only app and index read the configuration; the rest is handed what it needs (types are free).',
      from: { path: '^src/', pathNot: '^src/(app|index|framework|config)\\.ts$' },
      to: { path: '^src/config\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-the-root',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(app|index|framework)\\.ts$' },
      to: { path: '^src/(app|index|framework)\\.ts$' },
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
      name: 'no-development-packages-in-src',
      severity: 'error',
      comment: 'What the server imports must be a dependency, not a devDependency (types are free).',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Types may refer to each other; modules that run may not.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
