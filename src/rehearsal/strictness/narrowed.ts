/** The CapabilityStatement of a profile: that of the server without what the rules refuse. */
import type {
  CapabilityStatement,
  CapabilityStatementRest,
  CapabilityStatementRestResource,
  CapabilityStatementRestResourceOperation,
} from 'fhir/r4'
import { nonEmpty, present, valuesIn } from '../../fhir/resource.ts'
import type { Profile } from './profile.ts'
import { isFor } from './requests.ts'

export function narrowed(statement: CapabilityStatement, profile: Profile): CapabilityStatement {
  const rules = new Narrowing(profile)
  const { patchFormat = [], ...others } = statement
  return {
    ...others,
    name: `${statement.name ?? ''}${profile.name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    title: `${profile.title}, on the data of this server`,
    description: `${profile.title}: ${profile.disclaimer} What it refuses is not offered here.`,
    format: rules.formats(valuesIn(statement.format)),
    ...nonEmpty({ patchFormat: rules.formats(valuesIn(patchFormat)) }),
    rest: (statement.rest ?? []).map((rest) => narrowedRest(rest, rules)),
  }
}

function narrowedRest(rest: CapabilityStatementRest, rules: Narrowing): CapabilityStatementRest {
  const { interaction = [], resource = [], searchParam = [], operation = [], compartment, ...others } = rest
  const types = resource.flatMap((one) => narrowedType(one, rules))
  return {
    ...others,
    ...nonEmpty({
      resource: types,
      interaction: interaction.filter(({ code }) => rules.isOffered(code, '')),
      searchParam: searchParam.filter(({ name }) => types.every(({ type }) => rules.isTaken(name, type))),
      operation: rules.operations(operation, ''),
    }),
    ...(compartment !== undefined && rules.isOffered('search-compartment', '') ? { compartment } : {}),
  }
}

/** Nothing where nothing of the type is offered. */
function narrowedType(resource: CapabilityStatementRestResource, rules: Narrowing): CapabilityStatementRestResource[] {
  const { type } = resource
  const interaction = (resource.interaction ?? []).filter(({ code }) => rules.isOffered(code, type))
  const operation = rules.operations(resource.operation ?? [], type)
  if (interaction.length + operation.length === 0) return []
  const { interaction: _all, operation: _every, searchParam, searchInclude, searchRevInclude, ...others } = resource
  const search = searchOf({ type, searchParam, searchInclude, searchRevInclude }, rules)
  return [{ ...others, ...nonEmpty({ interaction, operation }), ...conditionsOf(resource, rules), ...search }]
}

const conditionsOf = (
  { type, conditionalDelete, ...resource }: CapabilityStatementRestResource,
  rules: Narrowing,
): Partial<CapabilityStatementRestResource> => ({
  readHistory: resource.readHistory === true && rules.isOffered('vread', type),
  updateCreate: resource.updateCreate === true && rules.isOffered('update', type) && !rules.needsVersion(type),
  conditionalCreate: resource.conditionalCreate === true && rules.isOffered('create', type, 'conditional-create'),
  conditionalUpdate: resource.conditionalUpdate === true && rules.isOffered('update', type, 'conditional-update'),
  ...present({
    conditionalDelete: rules.isOffered('delete', type, 'conditional-delete') ? conditionalDelete : 'not-supported',
  }),
})

function searchOf(
  resource: CapabilityStatementRestResource,
  rules: Narrowing,
): Partial<CapabilityStatementRestResource> {
  const { type, searchParam = [], searchInclude = [], searchRevInclude = [] } = resource
  const isTaken = (name?: string) => rules.isOffered('search-type', type) && rules.isTaken(name, type)
  return nonEmpty({
    searchParam: searchParam.filter(({ name }) => isTaken(name)),
    searchInclude: isTaken('_include') ? searchInclude : [],
    searchRevInclude: isTaken('_revinclude') ? searchRevInclude : [],
  })
}

/** The rules that hold whatever a request says. */
class Narrowing {
  readonly #profile: Profile

  constructor(profile: Profile) {
    this.#profile = profile
  }

  isOffered(interaction = '', type = '', condition?: string): boolean {
    const interactions = condition === undefined ? [interaction] : [interaction, condition]
    return !this.#isRefused({ interactions, type, operation: '' })
  }

  operations(all: readonly CapabilityStatementRestResourceOperation[], type = '') {
    return all.filter(({ name = '' }) => !this.#isRefused({ interactions: ['operation'], type, operation: name }))
  }

  /** Whether a search of the type may have the parameter. */
  isTaken(name = '', type = ''): boolean {
    const search = { interactions: ['search-type'], type, operation: '' }
    return this.#profile.rules.every(
      ({ on, check: { parameters } }) => parameters === undefined || !isFor(on, search) || parameters.includes(name),
    )
  }

  /** Whether an update names the version that it is based on, so that it creates nothing. */
  needsVersion(type = ''): boolean {
    const update = { interactions: ['update'], type, operation: '' }
    return this.#profile.rules.some(({ on, check: { header } }) => header !== undefined && isFor(on, update))
  }

  formats(all: readonly string[]): string[] {
    const allowed = this.#profile.rules.flatMap(({ check: { formats } }) => (formats === undefined ? [] : [formats]))
    return all.filter((one) => allowed.every((formats) => formats.some((format) => one.includes(format))))
  }

  #isRefused(request: Parameters<typeof isFor>[1]): boolean {
    return this.#profile.rules.some(({ on, check: { offered } }) => offered === false && isFor(on, request))
  }
}
