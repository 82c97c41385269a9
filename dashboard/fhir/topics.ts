/**
 * Topics, which R4 has as Basic resources with an extension for each element of R5.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/components.html
 */
import type { Basic, Extension } from 'fhir/r4'

const ELEMENT = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-SubscriptionTopic.'

export interface Topic {
  readonly url: string
  readonly title: string
  readonly description: string
  /** The types of resources that its events are about. */
  readonly types: readonly string[]
  readonly filters: readonly { readonly resource: string; readonly parameter: string; readonly description: string }[]
}

/** Undefined for a resource that has no address of a topic. */
export function topicIn({ extension = [] }: Basic): Topic | undefined {
  const url = textOf(extension, `${ELEMENT}url`)
  if (url === undefined) return undefined
  const types = [...new Set(nested(extension, 'resourceTrigger').flatMap((trigger) => typeIn(trigger) ?? []))]
  return {
    url,
    title: textOf(extension, `${ELEMENT}title`) ?? url,
    description: textOf(extension, `${ELEMENT}description`) ?? '',
    types,
    filters: nested(extension, 'canFilterBy').flatMap((filter) => {
      const parameter = textOf(filter, 'filterParameter')
      const resource = typeIn(filter) ?? types[0] ?? ''
      const description = textOf(filter, 'description')
      return parameter === undefined ? [] : [{ resource, parameter, description: description ?? parameter }]
    }),
  }
}

/** The type of an element `resource`, which may be its address in the specification. */
const typeIn = (element: readonly Extension[]): string | undefined => textOf(element, 'resource')?.split('/').at(-1)

/** The members of each repetition of an element. */
const nested = (extensions: readonly Extension[], name: string): readonly (readonly Extension[])[] =>
  extensions.filter(({ url }) => url === ELEMENT + name).map(({ extension = [] }) => extension)

/** The value of a primitive, whichever type it has. */
function textOf(extensions: readonly Extension[], url: string): string | undefined {
  const found = extensions.find((one) => one.url === url)
  const value = found && Object.entries(found).find(([name]) => name.startsWith('value'))?.[1]
  return typeof value === 'string' ? value : undefined
}
