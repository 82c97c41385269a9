/** Hostile definitions, and profiles of profiles: whatever is stored, a check ends and reports something. */
import { describe, expect, test } from '@jest/globals'
import type { ElementDefinition, StructureDefinition } from 'fhir/r4'
import { BASE, brief, extensionOf, issuesOf, profile, type Row } from '../support/profiles.ts'

const patient = (elements: object = {}) => ({ resourceType: 'Patient', ...elements })
const names = (count: number) =>
  patient({ name: Array.from({ length: count }, (_, index) => ({ family: `f${index}` })) })
const declaring = (resource: object, ...profiles: string[]) => ({ ...resource, meta: { profile: profiles } })
const rule = (expression: string) => ({
  constraint: [{ key: 'own-1', severity: 'error' as const, human: 'x', expression }],
})
const chained = (name: string, base: string, rows: readonly Row[] = []) =>
  profile(name, 'Patient', rows, { baseDefinition: `${BASE}/${base}` })

describe('a profile of a profile', () => {
  const grandparent = profile('a', 'Patient', [
    ['Patient.name', { min: 1 }],
    ['Patient.photo', { max: '0' }],
  ])
  const parent = chained('b', 'a', [['Patient.name.family', { min: 1 }]])
  const child = chained('c', 'b', [['Patient.name', { min: 2 }]])

  test('asks for all that its bases ask for, unless it asks for more', async () => {
    const resource = patient({ name: [{ text: 'x' }], photo: [{ title: 'x' }] })
    expect(brief(await issuesOf(resource, { definitions: [child, parent, grandparent] }))).toEqual([
      'error required Patient.name',
      'error required Patient.name[0].family',
      'error structure Patient.photo',
    ])
  })

  test('changes with its base, whatever was made of it before', async () => {
    const before = await issuesOf(names(2), { definitions: [child, parent, grandparent] })
    const stricter = profile('a', 'Patient', [['Patient.gender', { min: 1 }]])
    const after = await issuesOf(names(2), { definitions: [child, parent, stricter] })
    expect([brief(before), brief(after)]).toEqual([[], ['error required Patient.gender']])
  })

  test('brings what it needs where it has a snapshot, so that its base need not be there', async () => {
    const alone: StructureDefinition = {
      ...chained('alone', 'nowhere'),
      snapshot: {
        element: [
          { id: 'Patient', path: 'Patient' },
          { id: 'Patient.name', path: 'Patient.name', min: 1 },
        ],
      },
    }
    expect(brief(await issuesOf(patient(), { definitions: [alone] }))).toEqual(['error required Patient.name'])
  })

  test.each<[what: string, definitions: readonly StructureDefinition[], said: string]>([
    [
      'whose base is not here',
      [chained('x', 'nowhere', [['Patient.name', { min: 1 }]])],
      'is neither stored in this clinic nor part of R4',
    ],
    ['that is its own base', [chained('x', 'x', [['Patient.name', { min: 1 }]])], 'leads back to itself'],
    [
      'whose bases go round',
      [chained('x', 'y', [['Patient.name', { min: 1 }]]), chained('y', 'z'), chained('z', 'x')],
      'leads back to itself',
    ],
    [
      'of another type than its base',
      [
        profile('x', 'Patient', [['Patient.name', { min: 1 }]], { baseDefinition: `${BASE}/y` }),
        profile('y', 'Observation', []),
      ],
      'is for Observation, not Patient',
    ],
    [
      'of another type of R4',
      [
        profile('x', 'Patient', [['Patient.name', { min: 1 }]], {
          baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Observation',
        }),
      ],
      'is no type of Patient',
    ],
    [
      'with more bases than are followed',
      [
        chained('x', 'p0', [['Patient.name', { min: 1 }]]),
        ...Array.from({ length: 40 }, (_, index) => chained(`p${index}`, `p${index + 1}`)),
      ],
      'the longest that is followed',
    ],
  ])('%s is applied as far as it goes, and this is said', async (_what, definitions, said) => {
    const issues = await issuesOf(declaring(patient(), `${BASE}/x`), { definitions }, [])
    expect(brief(issues)).toEqual(['warning incomplete Patient.meta.profile[0]', 'error required Patient.name'])
    expect(issues[0]?.text).toContain(said)
  })
})

describe('a profile that is declared', () => {
  test('and not known is named', async () => {
    const [issue] = await issuesOf(declaring(patient(), 'http://no/where'), { definitions: [] }, [])
    expect(issue).toMatchObject({ severity: 'error', code: 'not-found', expression: 'Patient.meta.profile[0]' })
    expect(issue?.text).toContain('http://no/where')
  })

  test.each([
    ['of another type', `${BASE}/o`, 'is a profile of Observation, not of Patient'],
    [
      'that is another type',
      'http://hl7.org/fhir/StructureDefinition/Observation',
      'is a profile of Observation, not of Patient',
    ],
  ])('%s is an error', async (_what, canonical, said) => {
    const issues = await issuesOf(
      declaring(patient(), canonical),
      { definitions: [profile('o', 'Observation', [])] },
      [],
    )
    expect(brief(issues)).toEqual(['error structure Patient.meta.profile[0]'])
    expect(issues[0]?.text).toContain(said)
  })

  test('and is the type itself is no more than the type', async () => {
    expect(
      await issuesOf(declaring(patient(), 'http://hl7.org/fhir/StructureDefinition/Patient'), { definitions: [] }, []),
    ).toEqual([])
  })

  test('by version is of this version; without, the newest that is not retired', async () => {
    const version = (number: string, min: number, more = {}) => ({
      ...profile('v', 'Patient', [['Patient.name', { min }]]),
      version: number,
      ...more,
    })
    const definitions = [version('1.9', 0), version('1.10', 1), version('2.0', 2, { status: 'retired' })]
    const said = async (canonical: string) =>
      brief(await issuesOf(declaring(patient(), canonical), { definitions }, []))
    expect(await said(`${BASE}/v|1.9`)).toEqual([])
    expect(await said(`${BASE}/v`)).toEqual(['error required Patient.name'])
    expect(await said(`${BASE}/v|3.0`)).toEqual(['error not-found Patient.meta.profile[0]'])
  })

  test('by a resource in another one counts there', async () => {
    const named = profile('n', 'Patient', [['Patient.name', { min: 1 }]])
    const inner = declaring(patient(), named.url)
    const bundle = { resourceType: 'Bundle', type: 'collection', entry: [{ resource: inner }] }
    const container = { resourceType: 'Observation', contained: [inner] }
    expect(brief(await issuesOf(bundle, { definitions: [named] }, []))).toEqual([
      'error required Bundle.entry[0].resource.name',
    ])
    expect(brief(await issuesOf(container, { definitions: [named] }, []))).toEqual([
      'error required Observation.contained[0].name',
    ])
  })
})

describe('a definition that makes no sense', () => {
  const element = (path: string, more: Partial<ElementDefinition> = {}): ElementDefinition => ({
    id: path,
    path,
    ...more,
  })

  test.each<[what: string, elements: readonly ElementDefinition[], said: readonly string[]]>([
    [
      'a path of another type',
      [element('Observation.code', { min: 1 })],
      ['warning incomplete Patient.meta.profile[0]'],
    ],
    ['a path of nothing', [element('Patient.colour', { max: '0' })], []],
    [
      'a path below a primitive',
      [element('Patient.birthDate.day', { min: 1 })],
      ['error required Patient.birthDate.day'],
    ],
    [
      'a path that never ends',
      [element(`Patient${'.contact'.repeat(5000)}`)],
      ['warning incomplete Patient.meta.profile[0]'],
    ],
    [
      'an id that is not the path',
      [element('Patient.name', { id: 'x:y.z', min: 1, max: '0' })],
      ['error structure Patient.name'],
    ],
    [
      'more elements than are looked at',
      Array.from({ length: 10_001 }, (_, index) => element(`Patient.x${index}`)),
      ['warning incomplete Patient.meta.profile[0]'],
    ],
    ['a max that is no number', [element('Patient.name', { max: 'many' })], []],
    ['no path at all', [], []],
    [
      'a name of the prototype',
      [element('Patient.__proto__', { min: 1 }), element('Patient.constructor', { max: '0' })],
      ['error required Patient.__proto__'],
    ],
  ])('%s', async (_what, elements, said) => {
    const definition = { ...profile('x', 'Patient', []), differential: { element: [...elements] } }
    const resource = declaring(patient({ birthDate: '2020', name: [{ text: 'x' }] }), definition.url)
    expect(brief(await issuesOf(resource, { definitions: [definition] }, []))).toEqual(said)
  })

  test('a specialization is no profile', async () => {
    const type = { ...profile('x', 'Patient', [['Patient.name', { min: 1 }]]), derivation: 'specialization' as const }
    expect(brief(await issuesOf(declaring(patient(), type.url), { definitions: [type] }, []))).toEqual([
      'error not-found Patient.meta.profile[0]',
    ])
  })
})

describe('work has an end', () => {
  const outOfWork = { severity: 'error', code: 'too-costly', expression: 'Patient' }

  test.each<[what: string, expression: string]>([
    ['each item for each item for each item', 'name.all(%resource.name.all(%resource.name.all(family.exists())))'],
    ['collections that double', `name${'.select($this.combine($this))'.repeat(60)}.exists()`],
    ['descendants of all for all', '%resource.descendants().all(%resource.descendants().exists($this = 1) or true)'],
    ['a whole resource compared again and again', 'name.all(%resource.name.all(%resource = %resource))'],
    ['texts that double', `name.family${'.select($this & $this)'.repeat(40)}.exists()`],
  ])('an invariant that looks at %s', async (_what, expression) => {
    const definition = profile('x', 'Patient', [['Patient', rule(expression)]])
    expect(await issuesOf(names(500), { definitions: [definition] })).toContainEqual(expect.objectContaining(outOfWork))
  })

  test.each<[what: string, expression: string]>([
    ['a pattern that tries again and again', "name.family.first().matches('^(a+)+$')"],
    ['parentheses without end', `${'('.repeat(20_000)}true${')'.repeat(20_000)}`],
    ['a text without end', `'${'x'.repeat(6000)}' = 'x'`],
    ['a function whose work has no bound', "name.aggregate($total & 'x', 'x') = 'x'"],
    ['a replacement by pattern', "name.family.first().replaceMatches('(a+)+$', 'x') = 'x'"],
    ['an index that is a list', 'name[name.family]'],
    ['a variable that there is not', '%nobody.exists()'],
  ])('an invariant with %s', async (_what, expression) => {
    const definition = profile('x', 'Patient', [['Patient', rule(expression)]])
    const resource = patient({ name: [{ family: `${'a'.repeat(1500)}!` }, { family: 'b' }] })
    const issues = await issuesOf(resource, { definitions: [definition] })
    expect(issues).toHaveLength(1)
    expect(['invariant', 'processing']).toContain(issues[0]?.code)
  })

  test('many profiles on many elements', async () => {
    const definitions = Array.from({ length: 40 }, (_, index) =>
      profile(`p${index}`, 'Patient', [
        [
          'Patient.name',
          { type: [{ code: 'HumanName', profile: Array.from({ length: 30 }, (_none, at) => `${BASE}/n${at}`) }] },
        ],
      ]),
    )
    const of = Array.from({ length: 30 }, (_, index) =>
      profile(`n${index}`, 'HumanName', [['HumanName.given', { min: 1 }]]),
    )
    const resource = declaring(names(5000), ...definitions.map(({ url }) => url))
    const issues = await issuesOf(resource, { definitions: [...definitions, ...of] }, [])
    expect(issues.length).toBeLessThanOrEqual(101)
  })

  test('references that lead to each other, each to keep to a profile that asks the same', async () => {
    const definition = profile('x', 'Observation', [
      ['Observation.hasMember', { type: [{ code: 'Reference', targetProfile: [`${BASE}/x`] }] }],
    ])
    const member = (id: string, of: string) => ({
      resourceType: 'Observation',
      id,
      hasMember: [{ reference: of }, { reference: of }],
    })
    const resource = {
      resourceType: 'Observation',
      contained: [member('a', '#b'), member('b', '#a')],
      hasMember: [{ reference: '#a' }],
    }
    const issues = await issuesOf(resource, { definitions: [definition] })
    expect(issues.length).toBeGreaterThan(0)
    expect(issues.length).toBeLessThanOrEqual(101)
  })

  test('a discriminator whose path leads through profiles that name each other', async () => {
    const inner = Array.from({ length: 10 }, (_, index) => `Extension.extension:s${index}`)
    const rows = inner.map((id): Row => [id, { type: [{ code: 'Extension', profile: [`${BASE}/x`] }] }])
    const definition = profile('x', 'Extension', [
      [
        'Extension.extension',
        { slicing: { discriminator: [{ type: 'value', path: `${'extension.'.repeat(40)}url` }], rules: 'open' } },
      ],
      ...rows,
    ])
    const nested = (depth: number): object[] =>
      depth === 0 ? [] : [1, 2].map(() => ({ url: definition.url, extension: nested(depth - 1) }))
    const issues = await issuesOf(patient({ extension: nested(8) }), { definitions: [definition] }, [])
    expect(issues.length).toBeLessThanOrEqual(101)
  })

  test('more profiles than are told of', async () => {
    const resource = declaring(patient(), ...Array.from({ length: 400 }, (_, index) => `http://no/where/${index}`))
    const issues = await issuesOf(resource, { definitions: [] }, [])
    expect(issues).toHaveLength(100)
  })

  test('profiles that name each other without end are followed as far as a check goes, and this is said', async () => {
    const [outer, ...inner] = Array.from({ length: 20 }, (_, index) =>
      profile(`level${index}`, index === 0 ? 'Patient' : 'Extension', [
        [
          index === 0 ? 'Patient.extension' : 'Extension.extension',
          { type: [{ code: 'Extension', profile: [`${BASE}/level${index + 1}`] }] },
        ],
      ]),
    )
    const nested = (depth: number): object[] => (depth === 0 ? [] : [{ url: 'relative', extension: nested(depth - 1) }])
    const resource = declaring(patient({ extension: nested(20) }), `${BASE}/level0`)
    const issues = await issuesOf(resource, { definitions: [...(outer === undefined ? [] : [outer]), ...inner] }, [])
    expect(brief(issues)).toEqual([expect.stringMatching(/^warning too-costly Patient\.extension/)])
    expect(issues[0]?.diagnostics).toContain('which is not checked')
  })

  test('more value sets than one check loads: what is not compared is said', async () => {
    const urls = Array.from({ length: 301 }, (_, index) => `http://example.org/ValueSet/${index}`)
    const definitions = urls.map((valueSet, index) =>
      profile(`p${index}`, 'Patient', [['Patient.maritalStatus', { binding: { strength: 'required', valueSet } }]]),
    )
    const include = [{ system: 'http://a', concept: [{ code: 'b' }] }]
    const terms = urls.map(
      (url) => ({ resourceType: 'ValueSet', url, status: 'active', compose: { include } }) as const,
    )
    const resource = patient({ maritalStatus: { coding: [{ system: 'http://a', code: 'b' }] } })
    const declared = declaring(resource, ...definitions.map(({ url }) => url))
    const issues = await issuesOf(declared, { definitions, terms }, [])
    expect(brief(issues)).toEqual(['warning not-found Patient.maritalStatus'])
    expect(issues[0]?.diagnostics).toContain('300 value sets at most')
  })

  test('more warnings and notes than are told of do not hide what is wrong', async () => {
    const definition = profile('x', 'Patient', [['Patient.link', { max: '0' }]])
    const extension = Array.from({ length: 150 }, (_, index) => ({ url: `http://no/where/${index}`, valueString: 'x' }))
    const contained = { resourceType: 'Patient', id: 'c', extension }
    const container = {
      resourceType: 'Basic',
      contained: [contained, { ...declaring(patient(), definition.url), link: [{}] }],
    }
    const issues = await issuesOf(container, { definitions: [definition] }, [])
    expect(brief(issues.slice(-2))).toEqual(['error structure Basic.contained[1].link', 'information informational '])
    expect(issues).toHaveLength(101)
    expect(issues.at(-1)?.diagnostics).toBe('51 more warnings and notes are not listed')
  })

  test('what is told is cut to a length', async () => {
    const definition = profile('x', 'Patient', [
      ['Patient.maritalStatus', { patternCodeableConcept: { text: 'y'.repeat(100_000) } }],
    ])
    const [issue] = await issuesOf(patient({ maritalStatus: { text: 'x' } }), { definitions: [definition] })
    expect(issue?.diagnostics.length).toBeLessThan(1_100)
  })
})

test.each<[what: string, resource: object]>([
  [
    'elements of the wrong kind',
    patient({ name: 'x', birthDate: {}, contact: [null, 1, [[]]], extension: { url: 'x' } }),
  ],
  ['extensions without a url', patient({ extension: [{}, { url: 7 }, null, 'x'] })],
  ['a meta that is none', { resourceType: 'Patient', meta: 'x' }],
  ['profiles that are no text', { resourceType: 'Patient', meta: { profile: [1, null, {}] } }],
  ['a type that there is not', { resourceType: 'Alien' }],
  ['contained resources that are none', patient({ contained: [1, {}, { resourceType: 'Alien' }, null] })],
])('a resource with %s is checked as far as it goes', async (_what, resource) => {
  const definition = profile('x', 'Patient', [
    ['Patient.name.family', { min: 1 }],
    ['Patient.birthDate', { maxLength: 1, ...rule('$this > today()') }],
    ['Patient.contact.name', { min: 1 }],
  ])
  const issues = await issuesOf(resource, { definitions: [definition, extensionOf('e', 'string')] })
  expect(Array.isArray(issues)).toBe(true)
})
