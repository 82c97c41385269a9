/** Providers by type: the special ones, and the standard one for every other R4 type. */

import type { Operation } from '../core/operation.ts'
import type { InteractionCode, Provider } from '../core/provider.ts'
import { isResourceType, resourceTypes } from '../fhir/definitions.ts'
import { systemExport } from '../operations/bulk-export.ts'
import { bulkImport } from '../operations/bulk-import.ts'
import { checkOperationOf } from '../operations/check-definition.ts'
import { meta, metaAdd, metaDelete } from '../operations/meta.ts'
import { reindexStatus } from '../operations/reindex-status.ts'
import { validateResource } from '../operations/validate.ts'
import { searchParametersOf } from '../search/parameters.ts'

/** System-level interactions (https://hl7.org/fhir/R4/valueset-system-restful-interaction.html). */
const SYSTEM_INTERACTIONS = ['transaction', 'batch', 'search-system', 'history-system'] as const
export type SystemInteractionCode = (typeof SYSTEM_INTERACTIONS)[number]

/**
 * The system-level interactions, without those that the configuration disables as `system.code`.
 * @throws Error naming a rule for an interaction that does not exist; it stops the start.
 */
export function systemInteractions(switchedOff: readonly string[] = []): ReadonlySet<SystemInteractionCode> {
  const served = new Set<string>(SYSTEM_INTERACTIONS)
  for (const rule of switchedOff.filter(isSystemRule)) {
    if (!served.delete(rule.slice(SYSTEM_RULE.length))) throw noSuchInteraction(rule)
  }
  return new Set(SYSTEM_INTERACTIONS.filter((code) => served.has(code)))
}

const SYSTEM_RULE = 'system.'
const isSystemRule = (rule: string): boolean => rule.startsWith(SYSTEM_RULE)

const noSuchInteraction = (rule: string): Error =>
  new Error(
    `DISABLED_INTERACTIONS names '${rule}': there is no interaction '${rule.split('.')[1] ?? ''}' to switch off`,
  )

/**
 * @param special at most one provider per type
 * @param switchedOff interactions disabled by the configuration, as `Type.code` or `*.code`
 * @throws Error naming the invalid declaration; it stops the start.
 */
export function registerProviders(
  special: readonly Provider[],
  standardProvider: (type: string) => Provider,
  switchedOff: readonly string[] = [],
): ReadonlyMap<string, Provider> {
  const providers = new Map(resourceTypes.map((type) => [type, withEveryTypeOperations(standardProvider(type))]))
  const seen = new Set<string>()
  for (const provider of special) {
    if (!isResourceType(provider.type)) throw new Error(`Provider ${provider.type}: R4 has no such resource type`)
    if (seen.has(provider.type)) throw new Error(`Provider ${provider.type} is registered twice`)
    seen.add(provider.type)
    providers.set(provider.type, withEveryTypeOperations(provider))
  }
  for (const rule of switchedOff.filter((rule) => !isSystemRule(rule))) switchOff(providers, rule)
  return providers
}

const withEveryTypeOperations = (provider: Provider): Provider => ({
  ...provider,
  operations: [...provider.operations, ...everyTypeOperations],
})

function switchOff(providers: Map<string, Provider>, rule: string): void {
  const [type = '', code = ''] = rule.split('.')
  const affected =
    type === '*' ? [...providers.values()] : [providers.get(type)].filter((provider) => provider !== undefined)
  if (affected.length === 0)
    throw new Error(`DISABLED_INTERACTIONS names '${rule}': there is no resource type '${type}'`)
  if (!affected.some((provider) => code in provider.interactions)) throw noSuchInteraction(rule)
  for (const provider of affected) {
    const { [code as InteractionCode]: _off, ...interactions } = provider.interactions
    providers.set(provider.type, { ...provider, interactions })
  }
}

/** @throws Error naming the provider and its invalid declaration; it stops the start. */
export function checkProvider(provider: Provider): void {
  const { type, interactions, operations } = provider
  for (const [code, handler] of Object.entries(interactions)) {
    if (typeof handler !== 'function') throw new Error(`Provider ${type} declares ${code} without a handler`)
  }
  for (const [index, operation] of operations.entries()) {
    checkOperationOf(type, operation)
    if (operations.findIndex(({ code }) => code === operation.code) !== index)
      throw new Error(`Provider ${type} declares operation $${operation.code} twice`)
  }
  checkSearchParameters(provider)
}

function checkSearchParameters({ type, searchParams = [], combined }: Provider): void {
  const known = searchParametersOf(type)
  const unknown = searchParams.find((code) => !known.has(code))
  if (unknown !== undefined) throw new Error(`Provider ${type}: there is no search parameter '${unknown}' for ${type}`)
  const unindexed = combined.flatMap(({ equal, range }) => [...equal, range]).find((code) => !known.has(code))
  if (unindexed !== undefined)
    throw new Error(
      `Provider ${type}: its combined index names '${unindexed}', which is no search parameter of ${type}`,
    )
}

export const everyTypeOperations: readonly Operation[] = [meta, metaAdd, metaDelete, validateResource]

/** System-level operations. */
export const systemOperations: readonly Operation[] = [
  ...everyTypeOperations.filter(({ definition }) => definition.system),
  reindexStatus,
  systemExport,
  bulkImport,
]
