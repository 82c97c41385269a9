/**
 * The production packages in npm's own CycloneDX document (https://cyclonedx.org/docs/1.5/json), each with its licence.
 * npm is not asked to leave out the others: with `--omit=dev` it leaves out those that development needs too (npm 11).
 */
import { type Accepted, entryFor } from './accepted.ts'
import type { LockedPackage } from './lock-file.ts'

/** The properties that are read or written; all others stay as npm has written them. */
export interface Bom {
  readonly metadata: { readonly component: BomComponent }
  readonly components: readonly BomComponent[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface BomComponent {
  readonly 'bom-ref': string
  readonly name: string
  readonly purl: string
  readonly licenses?: readonly object[]
}

/**
 * @param name of this project, in place of its folder's
 * @param packages those that are left in
 */
export function bomOf<Of extends Bom>(
  bom: Of,
  name: string,
  packages: readonly LockedPackage[],
  accepted: Accepted,
): Of {
  const byPurl = new Map(packages.map((found) => [purlOf(found), found]))
  const components = bom.components.flatMap((one) => {
    const found = byPurl.get(one.purl)
    return found === undefined ? [] : [{ ...one, licenses: [licenceOf(entryFor(accepted, found)?.licence ?? '')] }]
  })
  const { metadata } = bom
  const project = metadata.component['bom-ref']
  const refs = new Set([project, ...components.map((one) => one['bom-ref'])])
  const dependencies = bom.dependencies.flatMap(({ ref, dependsOn }) =>
    refs.has(ref) ? [{ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }] : [],
  )
  return { ...bom, metadata: { ...metadata, component: { ...metadata.component, name } }, components, dependencies }
}

/** https://github.com/package-url/purl-spec; the `@` of a scope is encoded. */
export const purlOf = ({ name, version }: Pick<LockedPackage, 'name' | 'version'>): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

/** An SPDX identifier, an expression, or a name of our own. */
function licenceOf(licence: string): object {
  if (licence.startsWith('LicenseRef-')) return { license: { name: licence } }
  return /\s/.test(licence) ? { expression: licence.replaceAll(' and ', ' AND ') } : { license: { id: licence } }
}
