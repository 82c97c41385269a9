/** Declarations of extensions extend and wrap those of the server, in every app of a process alike. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { OperationDefinition, SearchParameter } from 'fhir/r4'
import type { Context } from '../../src/core/context.ts'
import { defineOperation } from '../../src/core/operation.ts'
import { defineProvider, type Provider, standard } from '../../src/core/provider.ts'
import { isShipped } from '../../src/core/shipped.ts'
import { declarationsWith } from '../../src/extensions/declarations.ts'
import { installDefinitions } from '../../src/extensions/definitions.ts'
import { defineExtension, extendProvider, type ServerExtension } from '../../src/extensions/extension.ts'
import { resourceTypes } from '../../src/fhir/definitions.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { extractEntries } from '../../src/search/index/extract.ts'
import { searchParametersOf } from '../../src/search/parameters.ts'

const operation = (code: string, changes: Partial<OperationDefinition> = {}) =>
  defineOperation(
    {
      ...{ resourceType: 'OperationDefinition', id: `acme-${code}`, url: `https://acme.example/${code}`, name: 'Acme' },
      ...{ status: 'active', kind: 'operation', code, resource: ['Basic'], system: false, type: true, instance: false },
      ...changes,
    },
    async () => ({}),
  )

const score: SearchParameter = {
  ...{ resourceType: 'SearchParameter', id: 'acme-note', url: 'https://acme.example/note', name: 'note' },
  ...{ description: 'Notes', status: 'active', code: 'has-note', base: ['Flag', 'Basic'], type: 'token' },
  expression: 'Basic.code | Flag.code',
}

const single: SearchParameter = {
  ...{ ...score, id: 'acme-single', url: 'https://acme.example/single', code: 'single', base: ['Basic'] },
  expression: 'Basic.identifier.single().value',
}

const everywhere = operation('everywhere', { resource: ['Resource'], system: true })
const onlySystem = operation('only-system', { resource: undefined, system: true, type: false } as object)
const ofProvider = operation('of-provider')
const acme = defineExtension({
  name: 'acme',
  providers: [defineProvider('Basic', { interactions: standard, operations: [ofProvider] })],
  operations: [everywhere, onlySystem],
  searchParameters: [score, single],
})

beforeAll(() => installDefinitions([acme]))

const declared = (extensions: readonly ServerExtension[], providers: readonly Provider[] = []) =>
  declarationsWith(extensions, { providers, systemOperations: [] })

describe('resources of extensions', () => {
  test('are the resources of the server, the definitions of all operations among them', () => {
    const ids = ['everywhere', 'only-system', 'of-provider'].map((code) => `acme-${code}`)
    expect(ids.filter((id) => isShipped('OperationDefinition', id))).toEqual(ids)
    expect(isShipped('SearchParameter', 'acme-note')).toBe(true)
    expect(isShipped('OperationDefinition', 'patient-match')).toBe(true)
  })

  test('a search parameter has for each of its types the expression of that type', () => {
    expect(searchParametersOf('Flag').get('has-note')).toMatchObject({ expression: 'Flag.code', url: score.url })
    expect(searchParametersOf('Basic').get('has-note')).toMatchObject({ expression: 'Basic.code' })
    expect(searchParametersOf('Patient').has('has-note')).toBe(false)
  })

  test('a search parameter whose expression cannot be applied to a resource has no value there', () => {
    const valuesIn = (...identifier: readonly object[]) =>
      extractEntries({ ...{ resourceType: 'Basic', code: { text: 'x' } }, identifier } as AnyResource).filter(
        (entry) => 'param' in entry && entry.param === 'single',
      )
    expect(valuesIn({ value: '1' })).toMatchObject([{ code: '1' }])
    expect(valuesIn({ value: '1' }, { value: '2' })).toEqual([])
  })

  test('are the same for all apps of a process: the same extensions are taken again, others are refused', () => {
    installDefinitions([{ ...acme }])
    for (const others of [[], [{ ...acme, operations: [] }]]) {
      expect(() => installDefinitions(others)).toThrow(
        'An app with other extensions runs in this process; start this one in a process of its own',
      )
    }
  })
})

describe('operations of extensions', () => {
  test('are on the types that their definition names, and on the whole clinic where it says so', () => {
    const { providers, systemOperations } = declared([acme])
    const codes = new Map(providers.map(({ type, operations }) => [type, operations.map(({ code }) => code)]))
    expect([...codes.keys()].sort()).toEqual([...resourceTypes])
    expect(codes.get('Basic')).toEqual(['of-provider', 'everywhere'])
    expect(codes.get('Patient')).toEqual(['everywhere'])
    expect(systemOperations.map(({ code }) => code)).toEqual(['everywhere', 'only-system'])
  })
})

describe('rules around a provider', () => {
  const order: string[] = []
  const rule = (name: string): ServerExtension => ({
    name,
    providers: [
      extendProvider('Flag', {
        create: (next) => (ctx, resource) => {
          order.push(name)
          return next(ctx, resource)
        },
      }),
    ],
  })
  const flag = defineProvider('Flag', {
    interactions: { ...standard, create: async () => order.push('provider') as never },
    combined: [{ equal: ['patient'], range: 'date' }],
  })
  const create = (providers: readonly Provider[]) => {
    order.length = 0
    return providers[0]?.interactions.create?.({} as Context, { resourceType: 'Flag' })
  }

  test('run from the last extension to the first, then the provider', async () => {
    await create(declared([rule('first'), rule('last')], [flag]).providers)
    expect(order).toEqual(['last', 'first', 'provider'])
  })

  test("stand around another extension's provider, whichever of the two is named first", async () => {
    const provider: ServerExtension = { name: 'provider', providers: [flag] }
    for (const extensions of [
      [rule('rule'), provider],
      [provider, rule('rule')],
    ]) {
      await create(declared(extensions).providers)
      expect(order).toEqual(['rule', 'provider'])
    }
  })

  test('leave the rest of the provider as it is', () => {
    const [extended] = declared([rule('rule')], [flag]).providers
    expect(extended).toMatchObject({ combined: flag.combined, operations: [] })
    expect(extended?.interactions.update).toBe(standard.update)
  })
})

test('without extensions all is as it was', () => {
  const own = [defineProvider('Flag', { interactions: standard })]
  expect(declared([], own)).toEqual({ providers: own, systemOperations: [] })
})
