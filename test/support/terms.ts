/** A small terminology: animals in a hierarchy, with all features of R4's code systems. */
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'

export const ANIMALS = 'http://example.org/animals'
export const PETS = 'http://example.org/pets'

/** Dogs are also workers, which a property says: a concept may have several parents. */
export const animals: CodeSystem = {
  resourceType: 'CodeSystem',
  id: 'animals',
  url: ANIMALS,
  version: '1.0',
  name: 'Animals',
  status: 'active',
  date: '2020-05-01',
  content: 'complete',
  caseSensitive: true,
  hierarchyMeaning: 'is-a',
  property: [
    { code: 'legs', type: 'integer' },
    { code: 'status', type: 'code', uri: 'http://hl7.org/fhir/concept-properties#status' },
    { code: 'kindOf', type: 'code', uri: 'http://hl7.org/fhir/concept-properties#parent' },
    { code: 'notSelectable', type: 'boolean', uri: 'http://hl7.org/fhir/concept-properties#notSelectable' },
  ],
  concept: [
    {
      code: 'animal',
      display: 'Animal',
      property: [{ code: 'notSelectable', valueBoolean: true }],
      concept: [
        {
          code: 'mammal',
          display: 'Mammal',
          definition: 'Gives milk.',
          concept: [
            {
              code: 'dog',
              display: 'Dog',
              designation: [
                { language: 'de', value: 'Hund' },
                { language: 'fr-CA', value: 'Chien' },
                { use: { system: 'http://example.org/uses', code: 'nickname' }, value: 'Doggy' },
              ],
              property: [
                { code: 'legs', valueInteger: 4 },
                { code: 'kindOf', valueCode: 'worker' },
              ],
            },
            { code: 'cat', display: 'Cat', property: [{ code: 'legs', valueInteger: 4 }] },
          ],
        },
        {
          code: 'bird',
          display: 'Bird',
          property: [{ code: 'legs', valueInteger: 2 }],
          concept: [{ code: 'dodo', display: 'Dodo', property: [{ code: 'status', valueCode: 'retired' }] }],
        },
      ],
    },
    { code: 'worker', display: 'Working animal' },
  ],
}

/** A supplement by another publisher, with Latin names. */
export const latinNames: CodeSystem = {
  resourceType: 'CodeSystem',
  id: 'animals-latin',
  url: 'http://example.org/animals-latin',
  status: 'active',
  content: 'supplement',
  supplements: ANIMALS,
  property: [{ code: 'discovered', type: 'integer' }],
  concept: [
    {
      code: 'dog',
      designation: [{ language: 'la', value: 'Canis familiaris' }],
      property: [{ code: 'discovered', valueInteger: 1758 }],
    },
  ],
}

type Compose = NonNullable<ValueSet['compose']>

export const valueSetOf = (compose: Compose, url = PETS): ValueSet => ({
  resourceType: 'ValueSet',
  id: url.slice(url.lastIndexOf('/') + 1),
  url,
  version: '1.0',
  status: 'active',
  compose,
})

export const pets = valueSetOf({
  include: [{ system: ANIMALS, concept: [{ code: 'dog', display: 'Good dog' }, { code: 'cat' }] }],
})

export const animalsToSounds: ConceptMap = {
  resourceType: 'ConceptMap',
  id: 'animals-to-sounds',
  url: 'http://example.org/animals-to-sounds',
  status: 'active',
  sourceUri: PETS,
  targetUri: 'http://example.org/sounds-vs',
  group: [
    {
      source: ANIMALS,
      target: 'http://example.org/sounds',
      element: [
        {
          code: 'dog',
          target: [
            {
              code: 'bark',
              display: 'Bark',
              equivalence: 'equivalent',
              product: [{ property: 'http://example.org/volume', value: 'loud' }],
            },
            {
              code: 'howl',
              equivalence: 'narrower',
              comment: 'Dogs do not howl every night.',
              dependsOn: [{ property: 'http://example.org/moon', system: 'http://example.org/moons', value: 'full' }],
            },
          ],
        },
        { code: 'cat', target: [{ code: 'meow', equivalence: 'wider' }] },
        { code: 'dodo', target: [{ equivalence: 'unmatched', comment: 'Nobody knows.' }] },
      ],
      unmapped: { mode: 'fixed', code: 'silence', display: 'Silence' },
    },
  ],
}

/** A query of a GET: parameters that have several values as lists. */
export const queryOf = (parameters: Readonly<Record<string, string | number | boolean | readonly string[]>>): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  ).toString()

/** A Parameters resource of entries such as `{ name: 'code', valueCode: 'dog' }`. */
export const parametersOf = (...parameter: readonly object[]) => ({ resourceType: 'Parameters', parameter })

interface Part {
  readonly name: string
  readonly part?: readonly Part[]
  readonly [value: string]: unknown
}

/** Out parameters as plain data: those that come once by their value, those that come often as lists. */
export function valuesOf(parts: readonly Part[] = []): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown[]> = {}
  for (const { name, part, ...held } of parts) {
    values[name] ??= []
    values[name].push(part === undefined ? Object.values(held)[0] : valuesOf(part))
  }
  const one = (list: readonly unknown[]) => (list.length === 1 ? list[0] : list)
  return Object.fromEntries(Object.entries(values).map(([name, list]) => [name, one(list)]))
}
