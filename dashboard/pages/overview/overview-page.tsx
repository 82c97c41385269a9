/** What happens in the clinic today. */
import { PageHead } from '../../parts/page-head.tsx'

export function OverviewPage() {
  return <PageHead title="Overview" />
}
