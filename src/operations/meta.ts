/**
 * $meta, $meta-add and $meta-delete: profiles, tags and security labels, for every type.
 * https://hl7.org/fhir/R4/resource-operation-meta.html, -meta-add.html, -meta-delete.html
 */
import type { Coding, Meta } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineOperation, type OperationRequest } from '../core/operation.ts'
import { notFoundError, orNotFound } from '../core/provider.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { nonEmpty } from '../fhir/resource.ts'
import { validate } from '../fhir/validate/validate.ts'

/** Most labels of each kind in the response for a type or the whole clinic. */
const MAX_LABELS = 1000

/** $meta of a resource, one of its versions, a type, or the clinic. */
export const meta = defineOperation(
  'resource-meta',
  async ({ access, type, id, version }) => {
    const ctx = await access.reader()
    if (type === undefined || id === undefined) return { return: await labelsInUse(ctx, type) }
    const { resource } = version === undefined ? await ctx.read(type, id) : await readVersion(ctx, type, id, version)
    return { return: resource.meta ?? {} }
  },
  { onVersions: true },
)

export const metaAdd = defineOperation('resource-meta-add', (request) => changeLabels(request, added), {
  onVersions: true,
})

export const metaDelete = defineOperation('resource-meta-delete', (request) => changeLabels(request, removed), {
  onVersions: true,
})

async function readVersion({ unit }: Context, type: string, id: string, version: number) {
  const found = await unit.readVersion(type, id, version)
  if (found === undefined) throw notFoundError(type, `${id}/_history/${version}`)
  return orNotFound(found, type, id)
}

/** Omits the elements that belong to one resource: version, time, source. */
async function labelsInUse({ unit }: Context, type: string | undefined): Promise<Meta> {
  const inUse = async (kind: 'token' | 'uri', param: string) => {
    const found = await unit.values({ ...(type === undefined ? {} : { type }), kind, param, limit: MAX_LABELS })
    return found.toSorted((one, other) => (`${one.system}|${one.code}` < `${other.system}|${other.code}` ? -1 : 1))
  }
  const codings = async (param: string): Promise<Coding[]> =>
    (await inUse('token', param)).map(({ system, code }) => ({
      ...(system === '' ? {} : { system }),
      ...(code === '' ? {} : { code }),
    }))
  return nonEmpty({
    profile: (await inUse('uri', '_profile')).map(({ code }) => code),
    security: await codings('_security'),
    tag: await codings('_tag'),
  })
}

/** A profile, tag or security label; null for a profile that has extensions but no value. */
type Label = string | Coding | null

/** Adds the labels in `given` to a list, or removes them. */
type Change = <L extends Label>(before: readonly L[], given: readonly L[]) => Changed<L>

interface Changed<L> {
  /** Indexes of the labels that stay. */
  readonly kept: readonly number[]
  readonly fresh: readonly L[]
}

const added: Change = (before, given) => {
  const known = new Set(before.map(keyOf))
  const fresh = given.filter((label) => {
    const isKnown = known.has(keyOf(label))
    known.add(keyOf(label))
    return !isKnown
  })
  return { kept: [...before.keys()], fresh }
}

const removed: Change = (before, given) => {
  const gone = new Set(given.map(keyOf))
  return { kept: before.flatMap((label, at) => (gone.has(keyOf(label)) ? [] : [at])), fresh: [] }
}

const changedList = <L extends Label>(before: readonly L[], { kept, fresh }: Changed<L>): L[] => [
  ...kept.flatMap((at) => before.slice(at, at + 1)),
  ...fresh,
]

/** Extensions of the kept profiles; null for a profile without any. */
const extensionsAt = (all: Extensions, places: readonly number[]): Extensions =>
  places.map((at) => all[at] ?? null) as Extensions

type Extensions = NonNullable<Meta['_profile']>

/** Identity of a label, ignoring version and display. */
const keyOf = (label: Label): string =>
  typeof label === 'string' || label === null ? `${label}` : JSON.stringify([label.system, label.code])

/** Writes a new version, unless the labels stay the same. */
async function changeLabels(
  { access, input, type = '', id = '', version }: OperationRequest,
  change: Change,
): Promise<{ readonly return: Meta }> {
  if (version !== undefined) throw pastVersion(type, id)
  const given = readLabels(input.meta)
  return await access.change(async (ctx) => {
    const { resource } = await ctx.read<AnyResource>(type, id)
    const { profile = [], _profile, security = [], tag = [], ...rest } = resource.meta ?? {}
    const profiles = change(profile, given.profile)
    const next = {
      profile: changedList(profile, profiles),
      security: changedList(security, change(security, given.security)),
      tag: changedList(tag, change(tag, given.tag)),
    }
    // An operation only adds or only removes, so an equal count means equal labels.
    if (sizeOf(next) === sizeOf({ profile, security, tag })) return { return: resource.meta ?? {} }
    const extensions = _profile === undefined ? {} : { _profile: extensionsAt(_profile, profiles.kept) }
    const updated = await ctx.update({ ...resource, meta: { ...rest, ...extensions, ...nonEmpty(next) } })
    return { return: updated.resource.meta ?? {} }
  })
}

/** The labels that these operations change. */
interface Labels {
  readonly profile: NonNullable<Meta['profile']>
  readonly security: Coding[]
  readonly tag: Coding[]
}

const sizeOf = ({ profile, security, tag }: Labels): number => profile.length + security.length + tag.length

/** R4 allows a server to change the labels of past versions; this one does not. */
const pastVersion = (type: string, id: string): FhirError =>
  new FhirError(
    405,
    {
      code: 'not-supported',
      diagnostics: `A version does not change any more; call the operation on ${type}/${id}, which makes a new one`,
    },
    { allow: '' },
  )

/** @throws FhirError 400 if it is not a Meta, is empty, or has a label without a code */
function readLabels(given: unknown): Labels {
  const issues = validate({ resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: given }] })
  if (issues.length > 0) throw new FhirError(400, issues)
  const { profile = [], security = [], tag = [] } = given as Meta
  const labels = { profile, security, tag }
  const expression = 'Parameters.parameter[0].valueMeta'
  if (sizeOf(labels) === 0)
    throw badRequest('The meta has no profile, security or tag, so there is nothing to change', { expression })
  if ([...security, ...tag].every(({ code }) => code !== undefined)) return labels
  throw badRequest('A tag or security label is known by its system and code; give a code', { expression })
}
