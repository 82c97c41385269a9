/** Small requests whose multiplied data would fill the memory if nothing bounded it. */
import type { Patient, ValueSet } from 'fhir/r4'
import { packageOf } from '../support/packages.ts'
import { profile } from '../support/profiles.ts'

export interface MultiplyingRequest {
  readonly name: string
  /** The resources stored before the request. */
  readonly stored?: () => readonly { readonly resourceType: string; readonly id?: string | undefined }[]
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: () => unknown
  readonly contentType?: string
  readonly status: number
  /** A part of the response. */
  readonly says: string
  /** How often it is sent at most. */
  readonly times?: number
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

const EXTENSIONS = 500

const patientOf = (more: Partial<Patient>): Patient => ({
  resourceType: 'Patient',
  extension: times(EXTENSIONS, () => ({ url: 'http://hostile.example/text', valueString: 'a'.repeat(200) })),
  ...more,
})

const ALL = '%resource.extension'
/** A text of a million characters. */
const LONG = `'x'${".replace('x', 'xxxxxxxxxx')".repeat(6)}`
const twice = (step: string): string => `extension${`.${step}`.repeat(2)}.count() >= 0`

/** Each evaluates a part for every item made by the part before it, or makes a text longer and longer. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  'select of a list': `extension.select(${ALL}).select(${ALL}).select(${ALL}).count() >= 0`,
  'combine in select': twice(`select(${ALL}.combine(${ALL}))`),
  'combine of $this with $this': `extension${'.select($this.combine($this))'.repeat(60)}.exists()`,
  'union in select': twice(`select(${ALL}.union(extension))`),
  '| in select': twice(`select(${ALL} | %resource.name)`),
  'iif in select': twice(`select(iif(true, ${ALL}, {}))`),
  'where in select': twice(`select(${ALL}.where(true))`),
  'tail in select': `extension${`.select(${ALL}.tail())`.repeat(3)}.count() >= 0`,
  'trace in select': `extension${`.select(${ALL}.trace('x'))`.repeat(3)}.count() >= 0`,
  'ofType in select': twice(`select(${ALL}.value.ofType(string))`),
  'children of copies': twice('select(%resource).children()'),
  'descendants of copies': twice('select(%resource).descendants()'),
  'an element of copies': twice('select(%resource).extension'),
  'an extension of copies': twice("select(%resource).extension('http://hostile.example/text')"),
  'descendants in select': twice('select(%resource.descendants())'),
  'repeat of select': `extension.repeat(${ALL}.select(${ALL})).count() >= 0`,
  'repeat in select': twice('select(%resource.repeat(children()))'),
  '%context in select': `extension${'.select(%context.extension)'.repeat(3)}.count() >= 0`,
  'distinct of copies': 'extension.select(%resource.descendants()).distinct().count() >= 0',
  'intersect of copies': `extension.intersect(extension.select(${ALL}).select(${ALL})).count() >= 0`,
  '& of a text with itself': `'x'${'.select($this & $this)'.repeat(40)}.exists()`,
  '+ of a text with itself': `'x'${'.select($this + $this)'.repeat(40)}.upper().exists()`,
  'replace of replaced text': `'x'${".replace('x', 'xxxxxxxxxx')".repeat(9)}.exists()`,
  'replace of nothing': `${LONG}.replace('', ${LONG}).exists()`,
  'join with a long separator': `${ALL}.value.join(${LONG}).exists()`,
  'join in select': `extension.select(%resource.descendants().where($this is string)).value.join(${LONG}).exists()`,
  'split into characters': `extension.select(${LONG}.split('')).exists()`,
  'toChars in select': `extension.select(${LONG}.toChars()).exists()`,
  'a long text in select': `extension.select(${LONG}).upper().exists()`,
  'a long text for each character': `${LONG}.toChars().select(${LONG}).exists()`,
}

const urlOf = (index: number): string => `http://example.org/StructureDefinition/multiplies-${index}`

function profileOf(index: number, expression: string) {
  const constraint = [{ key: 'x-1', severity: 'error' as const, human: 'x', expression }]
  const differential = { element: [{ id: 'Patient', path: 'Patient', constraint }] }
  return profile(`multiplies-${index}`, 'Patient', [], { differential })
}

const invariants = Object.entries(EXPRESSIONS).map(
  ([name, expression], index): MultiplyingRequest => ({
    name: `an invariant with ${name}`,
    stored: () => [profileOf(index, expression)],
    ...{ method: 'POST', path: '/Patient/$validate', status: 200, says: 'is not checked completely' },
    body: () => patientOf({ meta: { profile: [urlOf(index)] } }),
  }),
)

const declaring = patientOf({ meta: { profile: [urlOf(0)] } })

const SEARCH_EXPRESSION = `Patient.extension.select(${ALL}).select(${ALL}).value`

const writes: readonly MultiplyingRequest[] = [
  {
    name: 'a create under such a profile',
    ...{ method: 'POST', path: '/Patient', status: 422, says: 'is not checked completely' },
    body: () => declaring,
  },
  {
    name: 'a transaction of such creates',
    ...{ method: 'POST', path: '/', status: 422, says: 'is not checked completely' },
    body: () => ({
      resourceType: 'Bundle',
      type: 'transaction',
      entry: times(3, () => ({ resource: declaring, request: { method: 'POST', url: 'Patient' } })),
    }),
  },
  {
    name: 'a search parameter with such an expression, and a create',
    stored: () => [
      {
        ...{ resourceType: 'SearchParameter', id: 'multiplies', url: 'http://hostile.example/SearchParameter/x' },
        ...{ name: 'X', status: 'active', description: 'x', code: 'multiplies', base: ['Patient'], type: 'string' },
        expression: SEARCH_EXPRESSION,
      },
    ],
    ...{ method: 'POST', path: '/Patient', status: 201, says: 'Patient' },
    body: () => patientOf({}),
  },
  {
    name: 'a JSON Patch that copies the resource into itself',
    stored: () => [{ ...patientOf({ id: 'copied' }) }],
    ...{ method: 'PATCH', path: '/Patient/copied', status: 413, says: 'the copies of a patch' },
    body: () => times(60, () => ({ op: 'copy', from: '/extension', path: '/extension/0/extension' })),
  },
  {
    name: 'a FHIRPath Patch whose condition combines all with all',
    ...{ method: 'PATCH', path: '/Patient/copied', status: 400, says: 'select()' },
    contentType: 'application/fhir+json',
    body: () => ({
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'operation',
          part: [
            { name: 'type', valueCode: 'delete' },
            { name: 'path', valueString: 'Patient.extension.where(extension.select(%resource.extension).exists())' },
          ],
        },
      ],
    }),
  },
]

const valueSet = (id: string, include: NonNullable<ValueSet['compose']>['include']): ValueSet & { id: string } => ({
  ...{ resourceType: 'ValueSet', id, url: `http://hostile.example/ValueSet/${id}`, status: 'active' },
  compose: { include },
})
const imported = (id: string) => ({ valueSet: [`http://hostile.example/ValueSet/${id}`] })

const codeSystem = (id: string, more: object) => ({
  ...{ resourceType: 'CodeSystem', id, url: `http://hostile.example/CodeSystem/${id}`, status: 'active' },
  content: 'complete',
  ...more,
})

const DESIGNATIONS = 60_000

const terminology: readonly MultiplyingRequest[] = [
  {
    name: '$expand of value sets that import the next one twice',
    stored: () => [
      ...times(18, (n) =>
        valueSet(
          `diamond-${n}`,
          times(2, () => imported(`diamond-${n + 1}`)),
        ),
      ),
      valueSet('diamond-18', [
        { system: 'http://hostile.example/x', concept: times(1_000, (n) => ({ code: `c${n}` })) },
      ]),
    ],
    ...{ method: 'GET', path: '/ValueSet/diamond-0/$expand', status: 422, says: 'imports others so often' },
  },
  {
    name: '$expand of value sets that import each other',
    stored: () => [valueSet('cycle-a', [imported('cycle-b')]), valueSet('cycle-b', [imported('cycle-a')])],
    ...{ method: 'GET', path: '/ValueSet/cycle-a/$expand', status: 422, says: 'or by itself' },
  },
  {
    name: '$expand with a long version before each code',
    ...{ method: 'POST', path: '/ValueSet/$expand', status: 422, says: 'too-costly' },
    body: () => expanding('v'.repeat(100_000), 10_000),
  },
  {
    name: '$expand whose JSON has a text once for each code',
    ...{ method: 'POST', path: '/ValueSet/$expand', status: 422, says: 'the size of its response' },
    body: () => expanding('v'.repeat(10_000), 9_000),
  },
  {
    name: '$lookup with supplements of very many designations',
    stored: () => [
      codeSystem('supplemented', { concept: [{ code: 'c' }] }),
      ...times(2, (n) =>
        codeSystem(`supplement-${n}`, {
          ...{ content: 'supplement', supplements: 'http://hostile.example/CodeSystem/supplemented' },
          concept: [{ code: 'c', designation: times(DESIGNATIONS, () => ({ value: 'x' })) }],
        }),
      ),
    ],
    method: 'GET',
    path: `/CodeSystem/$lookup?system=http://hostile.example/CodeSystem/supplemented&code=c${times(2, (n) => `&useSupplement=http://hostile.example/CodeSystem/supplement-${n}`).join('')}`,
    ...{ status: 422, says: 'too-costly' },
  },
  {
    name: '$translate with a long url for each mapping outside of the target',
    ...{ method: 'POST', path: '/ConceptMap/$translate', status: 422, says: 'the mappings of its concept maps' },
    body: () => ({
      resourceType: 'Parameters',
      parameter: [
        { name: 'code', valueUri: 'x' },
        { name: 'system', valueUri: 'http://hostile.example/a' },
        { name: 'target', valueUri: 'http://hostile.example/ValueSet/cycle-a' },
        { name: 'conceptMap', resource: mapOf('u'.repeat(100_000), 5_000) },
      ],
    }),
  },
]

function expanding(version: string, codes: number) {
  const concept = times(codes, (n) => ({ code: `c${n}` }))
  const include = [{ system: 'http://hostile.example/listed', version, concept }]
  return { resourceType: 'Parameters', parameter: [{ name: 'valueSet', resource: valueSet('listed', include) }] }
}

const mapOf = (url: string, targets: number) => ({
  ...{ resourceType: 'ConceptMap', url: `http://hostile.example/${url}`, status: 'active' },
  group: [
    {
      ...{ source: 'http://hostile.example/a', target: 'http://hostile.example/b' },
      element: [{ code: 'x', target: times(targets, (n) => ({ code: `y${n}`, equivalence: 'equal' })) }],
    },
  ],
})

const PARTS = 10
const reading = (url: string, count: number) => ({
  resourceType: 'Bundle',
  type: 'batch',
  entry: times(count, () => ({ request: { method: 'GET', url } })),
})

/** Each response has the 64 million characters that are allowed, so ten of them are enough. */
const LARGE_ANSWER = { method: 'POST', path: '/', status: 200, says: 'too-costly', times: 10 } as const

const answers: readonly MultiplyingRequest[] = [
  {
    name: '_include and _revinclude of references in a circle',
    stored: () =>
      times(PARTS, (n) => ({
        ...{ resourceType: 'Organization', id: `part-${n}`, name: 'x' },
        text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(100_000)}</div>` },
        partOf: { reference: `Organization/part-${(n + 1) % PARTS}` },
      })),
    method: 'GET',
    path: '/Organization?_id=part-0&_include:iterate=Organization:partof&_revinclude:iterate=Organization:partof',
    ...{ status: 200, says: 'part-9' },
  },
  {
    name: 'a batch that reads a large resource again and again',
    ...LARGE_ANSWER,
    body: () => reading('Organization/part-0', 1_000),
  },
  {
    name: 'a batch that searches with includes again and again',
    ...LARGE_ANSWER,
    body: () => reading('Organization?_id=part-0&_include:iterate=Organization:partof', 100),
  },
  {
    name: 'an answer with _pretty of many short values in deep lists',
    stored: () => [
      {
        resourceType: 'Patient',
        id: 'deep',
        extension: nested(
          24,
          times(600_000, () => 'x'),
        ),
      },
    ],
    ...{ method: 'GET', path: '/Patient/deep?_pretty=true', status: 200, says: '"given":["x","x"' },
  },
  {
    name: 'XML of elements within each other',
    ...{ method: 'POST', path: '/Patient', status: 400, says: 'nested deeper' },
    contentType: 'application/fhir+xml',
    body: () => `<Patient xmlns="http://hl7.org/fhir">${'<extension url="a">'.repeat(100_000)}`,
  },
  {
    name: 'XML with entities that hold each other',
    ...{ method: 'POST', path: '/Patient', status: 400, says: 'DOCTYPE' },
    contentType: 'application/fhir+xml',
    body: () =>
      `<!DOCTYPE p [<!ENTITY e0 "xxxxxxxxxx">${times(10, (n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')}]><Patient xmlns="http://hl7.org/fhir"><id value="&e10;"/></Patient>`,
  },
  {
    name: 'XML of very many elements',
    ...{ method: 'POST', path: '/Patient', status: 413, says: 'elements and comments' },
    contentType: 'application/fhir+xml',
    body: () => `<Patient xmlns="http://hl7.org/fhir">${'<name/>'.repeat(500_001)}</Patient>`,
  },
  {
    name: 'a package that unpacks to a thousand times its size',
    ...{ method: 'POST', path: '/ImplementationGuide/$install', status: 413, says: 'The package has more than' },
    contentType: 'application/gzip',
    body: () => packageOf([codeSystem('bomb', { description: ' '.repeat(140_000_000) })]),
  },
]

/** Given names in an extension in an extension and so on. */
function nested(depth: number, given: readonly string[]): object[] {
  const innermost: object[] = [{ url: 'http://hostile.example/name', valueHumanName: { given } }]
  return times(depth, (n) => n).reduce<object[]>(
    (extension) => [{ url: 'http://hostile.example/outer', extension }],
    innermost,
  )
}

export const MULTIPLYING_REQUESTS: readonly MultiplyingRequest[] = [
  ...invariants,
  ...writes,
  ...terminology,
  ...answers,
]
