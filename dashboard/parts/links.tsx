/** Links within the dashboard. */
import { Anchor, Button, type ButtonProps } from '@mantine/core'
import { Link, useRouter } from '@tanstack/react-router'
import type { AriaAttributes, FunctionComponent, ReactNode } from 'react'

interface PageLinkProps extends AriaAttributes {
  /** Below /dashboard: `/patients/p1`. */
  readonly to: string
  readonly search?: Readonly<Record<string, string | undefined>>
  readonly children?: ReactNode
  readonly className?: string
}

/** A link that is styled by its place, such as a row. Addresses are texts: pages come from a list (page-list.ts). */
export const PlainLink = Link as unknown as FunctionComponent<PageLinkProps>

export const PageLink = (props: PageLinkProps) => <Anchor component={PlainLink} inherit {...props} />

/** A link to a page that an installation may leave out of its list. */
export function LinkToPage(props: PageLinkProps) {
  const { routesByPath } = useRouter()
  return props.to in routesByPath ? <PageLink {...props} /> : null
}

export const LinkButton = (props: ButtonProps & PageLinkProps) => <Button component={PlainLink} {...props} />
