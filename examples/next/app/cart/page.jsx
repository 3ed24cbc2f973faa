import { Buy, Widget } from '../tracking.jsx';

export default function Cart() {
  return (
    <Widget>
      <Buy sku="B-2" />
    </Widget>
  );
}
