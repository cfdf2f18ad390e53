/** A number that no statistic can be made of: the caller counted or chose wrongly. */
export class StatisticsInputError extends RangeError {
  readonly code = 'statistics-input';
  override readonly name = 'StatisticsInputError';
}
