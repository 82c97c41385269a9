/** The legend of a calendar: each colour that is seen, with its word. */
import classes from './calendar.module.css'
import type { KindColors } from './kinds.ts'

interface LegendProps {
  readonly colors: KindColors
  /** Whether a reason for which nobody works is seen. */
  readonly isShut: boolean
}

export function CalendarLegend({ colors, isShut }: LegendProps) {
  return (
    <div className={classes.legend}>
      <span>
        <span className={`${classes.entry} ${classes.swatch}`} data-look="free" />
        free: click to book
      </span>
      {[...colors].map(([kind, color]) => (
        <span key={kind}>
          <span className={`${classes.entry} ${classes.swatch}`} data-color={color} />
          <bdi>{kind}</bdi>
        </span>
      ))}
      <span>
        <span className={`${classes.entry} ${classes.swatch}`} data-color="plain" />
        {colors.size === 0 ? 'taken' : 'other visits'}: drag to move
      </span>
      {isShut && (
        <span>
          <span className={`${classes.shade} ${classes.swatch}`} data-look="shut" />
          closed, with the reason
        </span>
      )}
      <span>Arrow keys walk through the times, Enter opens one.</span>
    </div>
  )
}
